import { expect, test } from 'vitest'
import { helpText } from './platform/command-line/command-table.ts'
import { parseLine } from './testing/parse-line.ts'
import { verbs } from './verbs.ts'

test('every option of run is parsed', () => {
  const args =
    'run Fix the login --cwd src --agent Plan --model opus --permission-mode plan --max-turns 7 --max-tokens 500k --max-usd 0.50 --max-minutes 1.5 --trust --mark-folder --allow Bash(ls) --allow Edit --deny Read(.env) --mcp-config servers.json --rehearsal --json --until npm --output-schema r.json --max-rounds 2 --verify --wait-for-limit --agent-file a.md --agent-file b.md'
  expect(parseLine(args.split(' '))).toEqual({
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
      continue: false,
      until: 'npm',
      outputSchema: 'r.json',
      maxRounds: 2,
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
  expect(parseLine(['run', 'x', option])).toMatchObject({ ok: true, value: { coordinator } })
})

test('after -- a task may begin with a dash or contain --help', () => {
  expect(parseLine(['run', '--', '-v', 'breaks', '--help'])).toMatchObject({
    ok: true,
    value: { verb: 'run', task: '-v breaks --help' },
  })
})

test('no argument, or a folder, opens the window', () => {
  expect(parseLine([])).toMatchObject({ ok: true, value: { folder: null } })
  expect(parseLine(['./src'])).toMatchObject({ ok: true, value: { folder: './src' } })
  const rules = { allow: ['Bash(ls)'], deny: ['Edit', 'Read(a)'] }
  const options = ['--allow', 'Bash(ls)', '--deny=Edit', '--deny', 'Read(a)', '--mcp-config', 's.json']
  for (const args of [
    ['./src', ...options],
    [...options, './src'],
  ])
    expect(parseLine(args)).toEqual({
      ok: true,
      value: { verb: '', folder: './src', ...rules, mcpConfig: ['s.json'] },
    })
  expect(parseLine(options)).toMatchObject({ ok: true, value: { folder: null, ...rules } })
  for (const args of [
    ['./src', '--deny'],
    ['./src', '--model', 'opus'],
    ['./src', './docs'],
  ])
    expect(parseLine(args), args.join(' ')).toMatchObject({ ok: false, failure: { type: 'usage' } })
})

const none = { agents: null, agentFile: [] }

test('every agents command is parsed', () => {
  const parse = (args: string) => parseLine(['agents', ...args.split(' ')])
  expect(parse('list --cwd a --trust --json')).toMatchObject({
    value: { verb: 'agents-list', cwd: 'a', trust: true, all: false, ...none, json: true },
  })
  expect(parse('lint a.md b --fix')).toMatchObject({
    value: { verb: 'agents-lint', files: ['a.md', 'b'], fix: true, ...none, json: false },
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
  expect(parseLine(['run', 'x', ...args])).toMatchObject({ value: { agents: { json, files: ['a.md'] } } })
  for (const command of [['list'], ['lint'], ['explain', 'a']])
    expect(parseLine(['agents', ...command, ...args])).toMatchObject({
      value: { agents: json, agentFile: ['a.md'] },
    })
  for (const wrong of ['[]', '{'])
    expect(parseLine(['run', 'x', '--agents', wrong])).toMatchObject({
      failure: {
        type: 'usage',
        message: expect.stringMatching(/must be JSON such as .* For a file use --agent-file/),
      },
    })
})

test('conversations', () => {
  expect(parseLine(['conversations', 'list'])).toMatchObject({
    value: { verb: 'conversations-list', json: false },
  })
  expect(parseLine(['conversations', 'show', 'c-1', '--json'])).toMatchObject({
    value: { verb: 'conversations-show', id: 'c-1', json: true },
  })
})

test('every worktrees command is parsed', () => {
  const parse = (args: string) => parseLine(['worktrees', ...args.split(' ')])
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
  expect(parse('discard --undo w')).toMatchObject({
    value: { verb: 'worktrees-discard', name: 'w', undo: true },
  })
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
  const parsed = parseLine(['worktrees', ...line.split(' ')])
  expect(parsed).toMatchObject({ ok: false, failure: { type: 'usage' } })
  expect(parsed.ok ? '' : parsed.failure.message).toContain(expected)
})

test('an option may stand before the action, with a value that is an action too', () => {
  expect(parseLine(['doctor', '--cwd', 'import', 'undo', 'a'])).toMatchObject({
    value: { verb: 'doctor-undo', cwd: 'import', file: 'a' },
  })
  expect(parseLine(['doctor', '--trust'])).toMatchObject({ value: { verb: 'doctor', trust: true } })
})

const commands = [...new Set(verbs.map(({ words }) => words.split(' ')[0] ?? ''))].filter(
  (word) => word !== '',
)

test('each command has its own help, with its options and without other commands', () => {
  expect(commands).toEqual(expect.arrayContaining(['run', 'mcp', 'worker', 'nats', 'plugins', 'worktrees']))
  for (const name of commands) {
    const firsts = helpText(verbs, name)
      .split('\n')
      .filter((line) => line.startsWith('troupe '))
    expect(firsts.length).toBeGreaterThan(0)
    for (const line of firsts) expect(line.split(' ')[1]).toBe(name)
  }
  expect(helpText(verbs, 'nats')).toContain('--renew')
  expect(helpText(verbs, 'worker')).toContain('troupe worker --connect URL')
  const own = helpText(verbs, 'mcp add')
  expect(own.split('\n').filter((line) => line.startsWith('troupe '))).toEqual([
    'troupe mcp add NAME -- COMMAND…',
  ])
  expect(own).toMatch(/^ {4}--env NAME=V +a variable of its process; repeatable$/m)
})

test('the whole help explains an option once for several verbs, and names it again where it means the same', () => {
  const help = helpText(verbs, null)
  expect(help).toMatch(/^ {4}--cwd DIR +the working folder/m)
  expect(help.match(/--cwd DIR/g)).toHaveLength(1)
  expect(help).toMatch(/^ {4}--cwd, --trust +list, lint, explain, approve, test: as with run$/m)
  expect(help).toMatch(/^ {4}--yes +revert, redo: don’t ask$/m)
  expect(help).not.toContain('--access')
  for (const name of ['nothing', 'mcp nothing']) expect(helpText(verbs, name)).toBe(help)
})

test('a run of a recorded scenario needs no task', () => {
  expect(parseLine(['run', '--scenario', 'bug.yaml'])).toMatchObject({
    value: { task: '', scenario: 'bug.yaml' },
  })
})

test('an export has one target: a file, standard output, or a receiver', () => {
  expect(parseLine(['export', 'c', '--jsonl', 'a.jsonl', '--without', 'x', '--without', 'y'])).toMatchObject({
    value: { id: 'c', format: 'jsonl', file: 'a.jsonl', without: ['x', 'y'], otlp: null },
  })
  expect(parseLine(['export', 'c', '--trace', '-'])).toMatchObject({ value: { format: 'trace', file: null } })
  expect(parseLine(['export', 'c', '--otlp', 'http://localhost:4318'])).toMatchObject({
    value: { format: 'otel', file: null, otlp: new URL('http://localhost:4318/v1/traces') },
  })
  expect(parseLine(['export', 'c', '--dry-run'])).toMatchObject({ value: { format: 'jsonl', file: null } })
})

test('help is about the command that it stands behind', () => {
  expect(parseLine(['nats', '--help'])).toMatchObject({ value: { kind: 'help', of: 'nats' } })
  expect(parseLine(['mcp', 'add', '--help'])).toMatchObject({ value: { of: 'mcp add' } })
  expect(parseLine(['worker', '--connect', 'x', '-h'])).toMatchObject({ value: { of: 'worker' } })
  expect(parseLine(['help', 'mcp'])).toMatchObject({ value: { of: 'mcp' } })
  expect(parseLine(['-v'])).toMatchObject({ value: { kind: 'version' } })
  for (const args of [['--help'], ['-h'], ['help']])
    expect(parseLine(args)).toMatchObject({ value: { kind: 'help', of: null } })
})

test.each([
  [['agents', 'list', 'x'], 'For one agent: troupe agents explain x'],
  [['agents', 'lint', '-'], 'Use troupe agents read - instead.'],
  [['agents', 'read', '-', '-'], 'can be read only once'],
  [['agents', 'explain', 'a', '--depth', '10'], 'from 0 (a main agent) to 9, not "10"'],
  [['run', 'x', '--agent', 'a', '--resume', 'b'], '--agent is for a new conversation'],
  [['run', 'x', '--coordinator', '--no-coordinator'], 'exclude each other'],
  [['run', 'x', '--rehearsal', '--scenario', 'a'], '--rehearsal and --scenario exclude each other'],
  [['run', ' '], 'The task is missing.'],
  [['run', '--model', 'sonnet'], 'The task is missing.'],
  [['best', 'x', '--agents', 'a'], 'Give 2 to'],
  [['best', 'x', '--agents', 'a,b='], 'is not a list of agents'],
  [['acp', 'x'], 'troupe acp takes no task'],
  [['trust', 'add', 'a', 'b'], 'Give one folder: troupe trust add a'],
  [['conversations'], 'Use troupe conversations list, show, continue or import.'],
  [['export', 'c'], 'Say what to write, and where: --html FILE, --markdown FILE'],
  [['export', 'c', '--jsonl', 'a', '--trace', 'b'], 'Give only one of --html, --markdown'],
  [['export', 'c', '--otlp', 'localhost:4318'], '"localhost:4318" is not the address of a receiver.'],
  [['export', '--jsonl', 'a'], 'Give one conversation: troupe export ID'],
  [['mcp', '--json'], 'Use troupe mcp list, test, approve, refuse, add or remove, not "--json".'],
  [['doctor', 'import'], 'Use troupe doctor, troupe doctor import FILE (or --all)'],
  [['worktree'], 'Unknown command "worktree".'],
  [['--model', 'x'], 'Unknown option --model.'],
])('%j is refused with a message', (args, expected) => {
  const parsed = parseLine(args)
  expect(parsed).toMatchObject({ ok: false, failure: { type: 'usage' } })
  expect(parsed.ok ? '' : parsed.failure.message).toContain(expected)
})
