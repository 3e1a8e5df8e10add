describe('methods', function () {
  methods.forEach(function (method) {
    it('has ' + method, function () {
      check(method)
    })
  })
})
