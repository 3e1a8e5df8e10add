;;; eglot_test.el --- redraft in Emacs, as a person with eglot has it -*- lexical-binding: t -*-

(load (expand-file-name "editor.el" (file-name-directory load-file-name)) nil t)

(defun redraft-test-with (script text body &optional dir-locals)
  "Call BODY in a Python file that holds TEXT, with a server whose model carries out SCRIPT; see `redraft-test-in-file'."
  (redraft-test-in-file script text
                        (list (lambda () (redraft-test-wait "eglot's connection" #'eglot-managed-p))
                              body
                              (lambda () (eglot-shutdown (eglot-current-server) nil redraft-test-patience)))
                        dir-locals))

(ert-deftest redraft-completes-a-line ()
  (redraft-test-with
   '((edits . []) (fills . [((after . "area = ") (write . "width * height"))]))
   "x = 1\n"
   (lambda ()
     (redraft-test-keys "M-> area SPC = SPC C-M-i")
     (should (equal (buffer-string) "x = 1\narea = width * height")))))

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

;; A model takes its time: here, until the reply to the command is read. Were the edit there at once, Emacs 28 would often
;; read it together with that reply, and its jsonrpc.el leaves what follows a reply that somebody waits for until more
;; comes (it throws out of its filter).
(ert-deftest redraft-edits-a-selection-by-a-code-action ()
  (redraft-test-with
   `((edits . [((find . "count") (replace . "total"))]) (hold . ((before . "") (file . ,redraft-test-hold))))
   "count = 1\nprint(count)\ncount = 2\n"
   (lambda ()
     (write-region "" nil redraft-test-hold nil 'silent)
     (let ((transient-mark-mode t))
       (redraft-test-keys "M-< C-SPC C-n C-n M-x eglot-code-actions RET RET"))
     (delete-file redraft-test-hold)
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
     (should (equal (buffer-string) "def f(a):\n    total = a\n    return total\n\n\ncount = 2\n"))
     (let ((transient-mark-mode t))
       (redraft-test-keys "M-> C-SPC C-p M-x redraft-edit RET use SPC another SPC name RET"))
     (redraft-test-wait "the edit of the region" (lambda () (string-suffix-p "\ntotal = 2\n" (buffer-string)))))))

(ert-deftest redraft-carries-out-an-instruction-in-a-comment ()
  (redraft-test-with
   '((edits . [((instruction . "use another name") (find . "count") (replace . "total"))]))
   "def f(a):\n    # redraft: use another name\n    count = a\n    return count\n"
   (lambda ()
     (redraft-test-keys "M-< C-n M-x eglot-code-actions RET RET")
     (redraft-test-wait "the edit" (lambda () (string-match-p "total" (buffer-string))))
     (should (equal (buffer-string) "def f(a):\n    total = a\n    return total\n"))
     (redraft-test-keys "C-/")
     (should (string-match-p "# redraft: use" (buffer-string))))))

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
