import { expect, test } from 'vitest'
import { parseArguments } from './parse-arguments.ts'

test('every option of run is parsed', () => {
  const args =
    'run Fix the login --cwd src --agent Plan --model opus --permission-mode plan --max-turns 7 --max-tokens 500k --max-usd 0.50 --max-minutes 1.5 --trust --mark-folder --allow Bash(ls) --allow Edit --deny Read(.env) --mcp-config servers.json --rehearsal --json --verify --wait-for-limit --agent-file a.md --agent-file b.md'
  expect(parseArguments(args.split(' '))).toEqual({
    ok: true,
    value: {
      verb: 'run',
      task: 'Fix the login',
      cwd: 'src',
      agent: 'Plan',
      coordinator: null,
      model: 'opus',
      permissionMode: 'plan',
      maxTurns: 7,
      limits: { tokens: 500_000, usd: 0.5, ms: 90_000 },
      resume: null,
      trust: true,
      markFolder: true,
      rules: { allow: ['Bash(ls)', 'Edit'], deny: ['Read(.env)'] },
      mcpConfig: ['servers.json'],
      rehearsal: true,
      scenario: null,
      agents: { json: null, files: ['a.md', 'b.md'] },
      json: true,
      verify: true,
      waitForLimit: true,
    },
  })
})

test.each([
  ['--coordinator', true],
  ['--no-coordinator', false],
])('%s chooses the kind of the conversation', (option, coordinator) => {
  expect(parseArguments(['run', 'x', option])).toMatchObject({ ok: true, value: { coordinator } })
})

test('after -- a task may begin with a dash or contain --help', () => {
  expect(parseArguments(['run', '--', '-v', 'breaks', '--help'])).toMatchObject({
    ok: true,
    value: { verb: 'run', task: '-v breaks --help' },
  })
})

test('no argument, or a folder, opens the window', () => {
  expect(parseArguments([])).toMatchObject({ ok: true, value: { verb: 'window', folder: null } })
  expect(parseArguments(['./src'])).toMatchObject({ ok: true, value: { verb: 'window', folder: './src' } })
  const rules = { allow: ['Bash(ls)'], deny: ['Edit', 'Read(a)'] }
  const options = ['--allow', 'Bash(ls)', '--deny=Edit', '--deny', 'Read(a)', '--mcp-config', 's.json']
  for (const args of [
    ['./src', ...options],
    [...options, './src'],
  ])
    expect(parseArguments(args)).toEqual({
      ok: true,
      value: { verb: 'window', folder: './src', rules, mcpConfig: ['s.json'] },
    })
  expect(parseArguments(options)).toMatchObject({ ok: true, value: { verb: 'window', folder: null, rules } })
  for (const args of [
    ['./src', '--deny'],
    ['./src', '--model', 'opus'],
    ['./src', './docs'],
  ])
    expect(parseArguments(args), args.join(' ')).toMatchObject({ ok: false, failure: { type: 'usage' } })
})

const none = { json: null, files: [] }

test('every agents command is parsed', () => {
  const parse = (args: string) => parseArguments(['agents', ...args.split(' ')])
  expect(parse('list --cwd a --trust --json')).toMatchObject({
    value: { verb: 'agents-list', cwd: 'a', trust: true, all: false, agents: none, json: true },
  })
  expect(parse('lint a.md b --fix')).toMatchObject({
    value: { verb: 'agents-lint', files: ['a.md', 'b'], fix: true, agents: none, json: false },
  })
  expect(parse('explain Plan --background --depth 2')).toMatchObject({
    value: { verb: 'agents-explain', name: 'Plan', background: true, depth: 2 },
  })
  expect(parse('explain Plan')).toMatchObject({ value: { background: false, depth: null } })
  expect(parse('read a.md - --stem x')).toMatchObject({
    value: { verb: 'agents-read', files: ['a.md', '-'], stem: 'x', json: false },
  })
})

test('agents on the command line', () => {
  const json = '{"a":{"description":"b","prompt":"c"}}'
  const args = ['--agents', json, '--agent-file', 'a.md']
  for (const command of [
    ['run', 'x'],
    ['agents', 'list'],
    ['agents', 'lint'],
    ['agents', 'explain', 'a'],
  ])
    expect(parseArguments([...command, ...args])).toMatchObject({
      value: { agents: { json, files: ['a.md'] } },
    })
})

test('conversations', () => {
  expect(parseArguments(['conversations', 'list'])).toMatchObject({
    value: { verb: 'conversations-list', json: false },
  })
  expect(parseArguments(['conversations', 'show', 'c-1', '--json'])).toMatchObject({
    value: { verb: 'conversations-show', id: 'c-1', json: true },
  })
})

test('every worktrees command is parsed', () => {
  const parse = (args: string) => parseArguments(['worktrees', ...args.split(' ')])
  expect(parse('list --cwd a --trust --json')).toEqual({
    ok: true,
    value: { verb: 'worktrees-list', cwd: 'a', trust: true, json: true },
  })
  expect(parse('merge writer-1')).toMatchObject({
    value: {
      verb: 'worktrees-merge',
      name: 'writer-1',
      method: 'merge',
      commits: [],
      into: null,
      message: null,
    },
  })
  expect(parse('merge w --method squash --into dev --message x')).toMatchObject({
    value: { method: 'squash', into: 'dev', message: 'x' },
  })
  expect(parse('discard w --confirm troupe/w')).toMatchObject({
    value: { verb: 'worktrees-discard', name: 'w', confirm: 'troupe/w' },
  })
  expect(parse('discard --undo w')).toMatchObject({ value: { verb: 'worktrees-undo-discard', name: 'w' } })
  expect(parse('gc --dry-run')).toMatchObject({ value: { verb: 'worktrees-gc', dryRun: true } })
})

test.each([
  ['prune', 'not "prune"'],
  ['list x', 'takes no names'],
  ['merge', 'Give one worktree'],
  ['merge a b', 'Give one worktree'],
  ['merge a --method octopus', 'Use one of: merge, squash, rebase.'],
  ['merge a --method rebase --message x', 'keeps the commits’ own messages'],
  ['merge a --cherry-pick 0123abc --method squash', 'combined with --method'],
  ['merge a --cherry-pick 0123abc --message x', 'keeps the commits’ own messages'],
  ['merge a --cherry-pick main', 'is not a commit'],
  ['merge a --cherry-pick 0123abc 4567def', 'before each commit'],
  ['discard', 'troupe worktrees discard ID'],
  ['discard --undo', 'troupe worktrees discard --undo ID'],
  ['discard --undo a --confirm b', 'needs no confirmation'],
  ['gc a', 'troupe worktrees discard a'],
  ['gc --force', 'force'],
])('worktrees %s is refused with a message', (line, expected) => {
  const parsed = parseArguments(['worktrees', ...line.split(' ')])
  expect(parsed).toMatchObject({ ok: false, failure: { type: 'usage' } })
  expect(parsed.ok ? '' : parsed.failure.message).toContain(expected)
})
