export const n = 1;

export function one() {
  return n;
}
