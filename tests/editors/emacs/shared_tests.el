;;; shared_tests.el --- what redraft does in Emacs with any client -*- lexical-binding: t -*-

;; Who loads this has `redraft-test-with', which calls a function in a Python file with a server, and says which keys lead to
;; two actions of the menu.

(require 'editor)

(defvar redraft-test-simplify-keys nil "What simplifies the selection.")
(defvar redraft-test-comment-keys nil "What carries out the comment at the cursor that asks to use another name.")

(ert-deftest redraft-completes-a-line ()
  (redraft-test-with
   '((edits . []) (fills . [((after . "area = ") (write . "width * height"))]))
   "x = 1\n"
   (lambda ()
     (redraft-test-keys "M-> area SPC = SPC C-M-i")
     (should (equal (buffer-string) "x = 1\narea = width * height")))))

(ert-deftest redraft-edits-a-selection-by-a-code-action ()
  (redraft-test-with
   `((edits . [((find . "count") (replace . "total"))]) ,redraft-test-held)
   "count = 1\nprint(count)\ncount = 2\n"
   (lambda ()
     (let ((transient-mark-mode t))
       (redraft-test-ask (concat "M-< C-SPC C-n C-n " redraft-test-simplify-keys)))
     (redraft-test-wait "the edit" (lambda () (string-prefix-p "total" (buffer-string))))
     (should (equal (buffer-string) "total = 1\nprint(total)\ncount = 2\n"))
     (redraft-test-keys "C-/") ; all of it is one step
     (should (equal (buffer-string) "count = 1\nprint(count)\ncount = 2\n")))))

(ert-deftest redraft-carries-out-an-instruction ()
  (redraft-test-with
   `((edits . [((instruction . "use another name") (find . "count") (replace . "total"))]) ,redraft-test-held)
   "def f(a):\n    count = a\n    return count\n\n\ncount = 2\n"
   (lambda ()
     (redraft-test-ask "M-< C-n M-x redraft-edit RET use SPC another SPC name RET")
     (redraft-test-wait "the edit" (lambda () (string-match-p "total" (buffer-string))))
     (should (equal (buffer-string) "def f(a):\n    total = a\n    return total\n\n\ncount = 2\n"))
     (let ((transient-mark-mode t))
       (redraft-test-ask "M-> C-SPC C-p M-x redraft-edit RET use SPC another SPC name RET"))
     (redraft-test-wait "the edit of the region" (lambda () (string-suffix-p "\ntotal = 2\n" (buffer-string)))))))

(ert-deftest redraft-carries-out-an-instruction-in-a-comment ()
  (redraft-test-with
   `((edits . [((instruction . "use another name") (find . "count") (replace . "total"))]) ,redraft-test-held)
   "def f(a):\n    # redraft: use another name\n    count = a\n    return count\n"
   (lambda ()
     (redraft-test-ask (concat "M-< C-n " redraft-test-comment-keys))
     (redraft-test-wait "the edit" (lambda () (string-match-p "total" (buffer-string))))
     (should (equal (buffer-string) "def f(a):\n    total = a\n    return total\n"))
     (redraft-test-keys "C-/")
     (should (string-match-p "# redraft: use" (buffer-string))))))

(provide 'shared_tests)
