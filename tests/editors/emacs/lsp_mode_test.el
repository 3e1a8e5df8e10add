;;; lsp_mode_test.el --- redraft in Emacs, as a person with lsp-mode has it -*- lexical-binding: t -*-

(load (expand-file-name "editor.el" (file-name-directory load-file-name)) nil t)

(defconst redraft-test-session (make-temp-file "redraft-lsp-session")
  "Where lsp-mode keeps what it knows of projects.")

(defun redraft-test-ready ()
  "Whether the server has answered."
  (seq-some (lambda (workspace) (eq (lsp--workspace-status workspace) 'initialized)) (lsp-workspaces)))

(defun redraft-test-with (script text body)
  "Call BODY in a Python file that holds TEXT, with a server whose model carries out SCRIPT."
  (redraft-test-in-file script text
                        (list (lambda () (redraft-test-wait "lsp-mode's connection" #'redraft-test-ready))
                              body
                              (lambda () (lsp-workspace-shutdown (car (lsp-workspaces)))))))

(ert-deftest redraft-completes-a-line ()
  (redraft-test-with
   '((edits . []) (fills . [((after . "area = ") (write . "width * height"))]))
   "x = 1\n"
   (lambda ()
     (redraft-test-keys "M-> area SPC = SPC C-M-i")
     (should (equal (buffer-string) "x = 1\narea = width * height")))))

(ert-deftest redraft-edits-a-selection-by-a-code-action ()
  (redraft-test-with
   '((edits . [((find . "count") (replace . "total"))]))
   "count = 1\nprint(count)\ncount = 2\n"
   (lambda ()
     (let ((transient-mark-mode t))
       (redraft-test-keys "M-< C-SPC C-n C-n M-x lsp-execute-code-action RET Redraft: SPC simplify RET"))
     (redraft-test-wait "the edit" (lambda () (string-prefix-p "total" (buffer-string))))
     (should (equal (buffer-string) "total = 1\nprint(total)\ncount = 2\n"))
     (redraft-test-keys "C-/") ; all of it is one step
     (should (equal (buffer-string) "count = 1\nprint(count)\ncount = 2\n")))))

(ert-deftest redraft-carries-out-an-instruction ()
  (redraft-test-with
   '((edits . [((instruction . "use another name") (find . "count") (replace . "total"))]))
   "def f(a):\n    count = a\n    return count\n\n\ncount = 2\n"
   (lambda ()
     (redraft-test-keys "M-< C-n M-x redraft-edit RET use SPC another SPC name RET")
     (redraft-test-wait "the edit" (lambda () (string-match-p "total" (buffer-string))))
     (should (equal (buffer-string) "def f(a):\n    total = a\n    return total\n\n\ncount = 2\n")))))

(ert-deftest redraft-carries-out-an-instruction-in-a-comment ()
  (redraft-test-with
   '((edits . [((instruction . "use another name") (find . "count") (replace . "total"))]))
   "def f(a):\n    # redraft: use another name\n    count = a\n    return count\n"
   (lambda ()
     (redraft-test-keys "M-< C-n M-x lsp-execute-code-action RET Redraft: SPC use SPC another SPC name RET")
     (redraft-test-wait "the edit" (lambda () (string-match-p "total" (buffer-string))))
     (should (equal (buffer-string) "def f(a):\n    total = a\n    return total\n")))))

;; What Debian's packages need besides, and what a person answers once for each project.
(package-initialize)
(setq lsp-session-file redraft-test-session
      lsp-auto-guess-root t
      lsp-response-timeout redraft-test-patience)
(redraft-test-set-up "Emacs, with lsp-mode")
(ert-run-tests-batch-and-exit)
