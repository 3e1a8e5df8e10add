export function one() {
  return 1;
}
