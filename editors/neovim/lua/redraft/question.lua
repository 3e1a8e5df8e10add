-- A request of which only the newest counts: a new one cancels the previous one, whose answer is ignored.

---@class redraft.Question
---@field private asked { client: vim.lsp.Client, request: integer }?
local Question = {}
Question.__index = Question

---@return redraft.Question
function Question.new()
  return setmetatable({}, Question)
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@param on_answer fun(err: table?, result: any)
---@param buf integer
function Question:ask(client, method, params, on_answer, buf)
  self:cancel()
  local asked = { client = client }
  local sent, request = client:request(method, params, function(err, result)
    if self.asked == asked then
      self.asked = nil
      on_answer(err, result)
    end
  end, buf)
  if sent then
    asked.request = request
    self.asked = asked
  end
end

function Question:cancel()
  local asked = self.asked
  self.asked = nil
  if asked and not asked.client:is_stopped() then
    asked.client:cancel_request(asked.request)
  end
end

return Question
