package x;

class A {
  int n() {
    return 1;
  }
}
