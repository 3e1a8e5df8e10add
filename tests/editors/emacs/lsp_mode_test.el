;;; lsp_mode_test.el --- redraft in Emacs, as a person with lsp-mode has it -*- lexical-binding: t -*-

(load (expand-file-name "editor.el" (file-name-directory load-file-name)) nil t)
(load (expand-file-name "shared_tests.el" (file-name-directory load-file-name)) nil t)

(setq redraft-test-simplify-keys "M-x lsp-execute-code-action RET Redraft: SPC simplify RET"
      redraft-test-comment-keys "M-x lsp-execute-code-action RET Redraft: SPC use SPC another SPC name RET")

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

;; What Debian's packages need besides, and what a person answers once for each project.
(package-initialize)
(setq lsp-session-file redraft-test-session
      lsp-auto-guess-root t
      lsp-response-timeout redraft-test-patience)
(redraft-test-set-up "Emacs, with lsp-mode")
(ert-run-tests-batch-and-exit)
