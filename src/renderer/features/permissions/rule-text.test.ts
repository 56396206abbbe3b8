import { expect, test } from 'vitest'
import { coverText, typedCall } from './rule-text.ts'

test.each([
  ['Bash', 'every command'],
  ['Bash(*)', 'every command'],
  ['Bash(npm test)', 'exactly this command'],
  ['Bash(npm run:*)', 'npm run with anything after it'],
  ['Bash(npm run *)', 'npm run with anything after it'],
  ['Bash(git * main)', 'commands that match'],
  ['Edit(src/**)', 'changing every file in src'],
  ['Write(docs/a.md)', 'changing exactly this file'],
  ['Edit(*.md)', 'changing files of the folder that match'],
  ['Read(.env)', 'reading files with this name, in every folder'],
  ['Read(//etc/**)', 'reading every file in /etc'],
  ['Read(~/.ssh/**)', 'reading every file in ~/.ssh'],
  ['Read', 'reading any file'],
  ['WebFetch(domain:example.com)', 'pages of example.com'],
  ['WebFetch(domain:*.example.com)', 'every host below example.com'],
  ['WebSearch', 'every call of WebSearch'],
  ['mcp__github', 'every tool of github'],
  ['mcp__github__create_issue', 'one tool of github'],
  ['Skill(review:*)', 'Skill with names that begin like this'],
  ['Read(', 'every call, because its brackets are wrong'],
])('%s covers %s', (text, covered) => {
  expect(coverText({ text, list: 'allow' })).toBe(covered)
})

test.each([
  ['npm test && ls', 'Bash(npm test && ls)'],
  ['ls', 'Bash(ls)'],
  [' Read(~/.ssh/id_rsa) ', 'Read(~/.ssh/id_rsa)'],
  ['TodoWrite', 'TodoWrite'],
  ['Bash(echo "a)" && ls)', 'Bash(echo "a)" && ls)'],
  ['mcp__github__create({"id": 1})', 'mcp__github__create({"id": 1})'],
  ['echo (a)', 'Bash(echo (a))'],
])('%j is the call %s', (typed, call) => {
  expect(typedCall(typed)).toBe(call)
})
