;;; eglot_test.el --- redraft in Emacs, as a person with eglot has it -*- lexical-binding: t -*-

;; emacs -Q --batch -L EGLOT -l eglot_test.el: a real Emacs and its eglot over the real server with a scripted model.
;; It is set up by the lines that the README gives for eglot, and gets keys as they are typed.

(require 'ert)
(require 'json)

(defconst redraft-test-patience 120
  "Seconds: nothing that is waited for takes a twentieth of it on an idle machine.")

(defconst redraft-test-root (expand-file-name "../../.." (file-name-directory load-file-name)))

(defconst redraft-test-hold (make-temp-name (expand-file-name "redraft-hold" temporary-file-directory))
  "While this file exists a model that is told of it writes nothing.")

(defun redraft-test-set-up ()
  "Evaluate the README's lines for eglot."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "README.md" redraft-test-root))
    (search-forward "```elisp\n")
    (let ((begin (point)))
      (search-forward "```")
      (eval-region begin (match-beginning 0)))))

(defun redraft-test-server (folder script)
  "Put a program `redraft' into FOLDER that is the server with a model that carries out SCRIPT."
  (let ((file (expand-file-name "script.json" folder))
        (program (expand-file-name "redraft" folder)))
    (write-region (json-encode script) nil file nil 'silent)
    (write-region (format "#!/bin/sh\nexec '%s' '%s' --index --log-level warn\n" (getenv "REDRAFT_SCRIPTED_SERVER") file)
                  nil program nil 'silent)
    (set-file-modes program #o755)))

(defun redraft-test-wait (what holds)
  "Wait until HOLDS returns something; WHAT says what for."
  (let ((deadline (time-add nil redraft-test-patience)))
    (while (not (funcall holds))
      (when (time-less-p deadline nil)
        (error "%s: not in time; the buffer holds %S" what (buffer-string)))
      (accept-process-output nil 0.02))))

(defun redraft-test-keys (keys)
  "Type KEYS, written as for `kbd'."
  (execute-kbd-macro (kbd keys)))

(defun redraft-test-with (script text body &optional dir-locals)
  "Call BODY in a Python file that holds TEXT, with a server whose model carries out SCRIPT.
The file's folder has DIR-LOCALS in a `.dir-locals.el'."
  (let* ((folder (make-temp-file "redraft-eglot" t))
         (exec-path (cons folder exec-path))
         (process-environment (cons (concat "PATH=" folder ":" (getenv "PATH")) process-environment))
         (file (expand-file-name "a.py" folder)))
    (unwind-protect
        (progn
          (redraft-test-server folder script)
          (write-region text nil file nil 'silent)
          (when dir-locals
            (write-region (prin1-to-string dir-locals) nil (expand-file-name dir-locals-file folder) nil 'silent))
          (switch-to-buffer (find-file-noselect file))
          (run-hooks 'post-command-hook) ; when eglot connects
          (redraft-test-wait "eglot's connection" #'eglot-managed-p)
          (funcall body)
          (eglot-shutdown (eglot-current-server) nil redraft-test-patience))
      (with-current-buffer (get-file-buffer file)
        (set-buffer-modified-p nil)
        (kill-buffer))
      (delete-directory folder t))))

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
  (should (eq eglot-confirm-server-initiated-edits 'confirm)))

(redraft-test-set-up)
(setq jsonrpc-default-request-timeout redraft-test-patience
      eglot-connect-timeout redraft-test-patience)
(ert-run-tests-batch-and-exit)
