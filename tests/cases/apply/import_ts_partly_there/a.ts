import { a, b } from './m';

export function f() {
  return a(b);
}
