;;; editor.el --- what the tests of redraft in Emacs share -*- lexical-binding: t -*-

;; A real Emacs over the real server with a scripted model. It is set up by the lines of docs/editors.md, and gets keys as
;; they are typed.

(require 'ert)
(require 'json)

(defconst redraft-test-root (expand-file-name "../../.." (file-name-directory load-file-name)))

(defconst redraft-test-patience
  (with-temp-buffer
    (insert-file-contents (expand-file-name "tests/kit/hang_seconds" redraft-test-root))
    (string-to-number (buffer-string)))
  "Seconds after which a wait counts as a hang.")

(defconst redraft-test-hold (make-temp-name (expand-file-name "redraft-hold" temporary-file-directory))
  "While this file exists a model that is told of it writes nothing.")

(defconst redraft-test-held `(hold . ((before . "") (file . ,redraft-test-hold)))
  "A part of a script: the model stops before it writes anything, while the file exists.")

(defun redraft-test-set-up (heading)
  "Evaluate the lines that docs/editors.md gives below HEADING."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "docs/editors.md" redraft-test-root))
    (search-forward (concat "\n## " heading "\n"))
    (search-forward "```elisp\n")
    (let ((begin (point)))
      (search-forward "```")
      (eval-region begin (match-beginning 0)))))

(defun redraft-test-server (folder script)
  "Put a program `redraft' into FOLDER that is the server with a model that carries out SCRIPT.
It writes the number of its process to the file `servers' there."
  (let ((file (expand-file-name "script.json" folder))
        (program (expand-file-name "redraft" folder)))
    (write-region (json-encode script) nil file nil 'silent)
    (write-region (format "#!/bin/sh\necho $$ >>'%s'\nexec '%s' '%s' --index --log-level warn\n"
                          (expand-file-name "servers" folder) (getenv "REDRAFT_SCRIPTED_SERVER") file)
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

(defun redraft-test-ask (keys)
  "Type KEYS, which send a command that edits; the model writes nothing until the reply to the command is read.
Were the edit there at once, Emacs would often read it together with that reply, and both jsonrpc.el of Emacs 28 and
lsp-mode leave what follows a reply that somebody waits for until more comes: they throw out of their filters.  The script
of the server has to have `redraft-test-held'."
  (write-region "" nil redraft-test-hold nil 'silent)
  (redraft-test-keys keys)
  (delete-file redraft-test-hold))

(defun redraft-test-has-ended (folder)
  "Whether no server runs any more of those that were started by the program in FOLDER."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "servers" folder))
    (not (seq-some (lambda (pid) (process-attributes (string-to-number pid))) (split-string (buffer-string))))))

(defun redraft-test-in-file (script text functions &optional dir-locals)
  "Test in a Python file that holds TEXT, with a server whose model carries out SCRIPT.
FUNCTIONS are called there: one that waits until the server is connected, the test, one that ends the server.
The file's folder has DIR-LOCALS in a `.dir-locals.el'."
  (let* ((folder (make-temp-file "redraft-emacs" t))
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
          (mapc #'funcall functions)
          (redraft-test-wait "the end of the server" (lambda () (redraft-test-has-ended folder))))
      (with-current-buffer (get-file-buffer file)
        (set-buffer-modified-p nil)
        (kill-buffer))
      (delete-directory folder t))))

(provide 'editor)
