export function get(k: string) {
  return data[k];
}
