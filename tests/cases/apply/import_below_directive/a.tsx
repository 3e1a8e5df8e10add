'use client';

export function F() {
  return 1;
}
