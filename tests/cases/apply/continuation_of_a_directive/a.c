#  ifdef A
int a;
#  endif
void f(int n) {
  if (n > 0) {
    a = n;
  }
}
#  if defined(B) && defined(C)
int b;
#  endif
