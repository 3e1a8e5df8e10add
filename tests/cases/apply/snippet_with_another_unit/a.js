function f(a) {
  if (a) {
    g();
  }
}
