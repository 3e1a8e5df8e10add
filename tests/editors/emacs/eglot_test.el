;;; eglot_test.el --- redraft in Emacs, as a person with eglot has it -*- lexical-binding: t -*-

(load (expand-file-name "editor.el" (file-name-directory load-file-name)) nil t)
(load (expand-file-name "shared_tests.el" (file-name-directory load-file-name)) nil t)

(setq redraft-test-simplify-keys "M-x eglot-code-actions RET RET"
      redraft-test-comment-keys "M-x eglot-code-actions RET RET")

(defun redraft-test-with (script text body &optional dir-locals)
  "Call BODY in a Python file that holds TEXT, with a server whose model carries out SCRIPT; see `redraft-test-in-file'."
  (redraft-test-in-file script text
                        (list (lambda () (redraft-test-wait "eglot's connection" #'eglot-managed-p))
                              body
                              (lambda () (eglot-shutdown (eglot-current-server) nil redraft-test-patience)))
                        dir-locals))

(ert-deftest redraft-completes-what-is-typed-already ()
  (redraft-test-with
   '((edits . []) (fills . [((after . "def f():\n    ") (write . "total = 1"))]))
   "def f():\n    "
   (lambda ()
     (redraft-test-keys "M-> to C-M-i")
     (should (equal (buffer-string) "def f():\n    total = 1")))))

(ert-deftest redraft-completes-several-lines ()
  (redraft-test-with
   '((edits . []) (fills . [((after . "def f():\n    ") (write . "total = 1\n    return total"))]))
   "def f():\n    "
   (lambda ()
     (redraft-test-keys "M-> C-M-i")
     (should (equal (buffer-string) "def f():\n    total = 1\n    return total")))))

;; Emacs takes these variables without a question, so they are a repository's as much as its user's.
(ert-deftest redraft-reads-no-folder-that-a-repository-names ()
  (let ((configuration '(:redraft (:commonFolders ["/usr/include"]))))
    (redraft-test-with
     '((edits . []))
     "x = 1\n"
     (lambda ()
       (should (equal eglot-workspace-configuration configuration))
       (let (status)
         (redraft-test-wait "the settings, without which there is no index"
                            (lambda ()
                              (setq status (jsonrpc-request (eglot-current-server) :redraft/status (make-hash-table)))
                              (plist-get status :index)))
         (should (plist-member status :common))
         (should (null (plist-get status :common)))))
     `((python-mode . ((eglot-workspace-configuration . ,configuration)))))))

(ert-deftest redraft-leaves-the-edits-of-other-servers-alone ()
  (let ((variable (indirect-variable 'eglot-confirm-server-initiated-edits))) ; it has another name since Emacs 30
    (should (equal (symbol-value variable) (eval (car (get variable 'standard-value)) t)))))

(redraft-test-set-up "Emacs, with eglot")
(setq jsonrpc-default-request-timeout redraft-test-patience
      eglot-connect-timeout redraft-test-patience)
(ert-run-tests-batch-and-exit)
