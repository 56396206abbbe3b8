/** `troupe agents read` as users and scripts call it: reads files one by one and never crashes. */
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { commandLine, type Ended } from '../../../testing/command-line.ts'
import { PROGRAM } from '../../../testing/program-file.ts'

const run = promisify(execFile)

const records = ({ output }: Ended) =>
  output
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const PAINTER = '---\nname: painter\ndescription: Paints walls.\n---\nYou paint.\n'

test('--json prints every field of a file on one line', async () => {
  const cli = await commandLine()
  await cli.write({
    'a.md': `---
name: reviewer
description: "Use after changes.\\nAlways."
tools: Read, Grep, Bash(git diff:*)
disallowedTools: [Write]
model: Opus
color: "#ff8800"
permissionMode: plan
background: true
memory: project
skills: commit, review
maxTurns: 12
effort: high
mcpServers: [github]
hooks: { Stop: [] }
initialPrompt: Begin.
criticalSystemReminder: Be kind.
omitClaudeMd: yes
readOnly: true
oneShot: "true"
aliases: [rev]
isolation: worktree
---
Look closely.
`,
  })
  const ended = await cli.run(['agents', 'read', './a.md', '--json'])
  const [record] = records(ended)
  expect(record).toEqual({
    path: './a.md',
    agent: true,
    offered: true,
    name: 'reviewer',
    description: 'Use after changes.\nAlways.',
    tools: ['Read', 'Grep', 'Bash(git diff:*)'],
    disallowedTools: ['Write'],
    model: 'opus',
    color: '#ff8800',
    permissionMode: 'plan',
    forkContext: false,
    background: true,
    isolation: 'worktree',
    carryOver: false,
    memory: 'project',
    skills: ['commit', 'review'],
    maxTurns: 12,
    effort: 'high',
    thinking: null,
    mcpServers: ['github'],
    hooks: { Stop: [] },
    initialPrompt: 'Begin.',
    reminder: 'Be kind.',
    omitProjectInstructions: false,
    readOnly: true,
    oneShot: true,
    aliases: ['rev'],
    hidden: false,
    prompt: 'Look closely.',
    rescued: [],
    diagnostics: [
      {
        code: 'bad-omitProjectInstructions',
        severity: 'warning',
        line: 18,
        column: 15,
        message: expect.stringContaining('true or false'),
      },
    ],
  })
  expect(Object.keys(record)).toEqual([
    ...['path', 'agent', 'offered', 'name', 'description', 'tools', 'disallowedTools', 'model', 'color'],
    ...[
      'permissionMode',
      'forkContext',
      'background',
      'isolation',
      'carryOver',
      'memory',
      'skills',
      'maxTurns',
      'effort',
      'thinking',
    ],
    ...['mcpServers', 'hooks', 'initialPrompt', 'reminder', 'omitProjectInstructions', 'readOnly'],
    ...['oneShot', 'aliases', 'hidden', 'prompt', 'rescued', 'diagnostics'],
  ])
  expect(ended).toMatchObject({ code: 0, errors: '' })
})

test('tools are null, none, all or a list, as in the file', async () => {
  const cli = await commandLine()
  const file = (tools: string) => `---\nname: a\ndescription: b\n${tools}---\n`
  await cli.write({
    '1.md': file(''),
    '2.md': file('tools:\n'),
    '3.md': file('tools: "*"\n'),
    '4.md': file('tools: Read Grep\n'),
  })
  const read = await cli.run(['agents', 'read', '4.md', '3.md', '2.md', '1.md', '--json'])
  expect(records(read).map(({ path, tools }) => [path, tools])).toEqual([
    ['4.md', ['Read', 'Grep']],
    ['3.md', ['*']],
    ['2.md', []],
    ['1.md', null],
  ])
})

test('an unreadable file is reported in its position, and the others are read', async () => {
  const cli = await commandLine()
  await cli.write({
    'good.md': PAINTER,
    'large.md': `${PAINTER}${'x'.repeat(1024 * 1024)}`,
    'folder/in.md/deep.md': PAINTER,
    'no-agent.md': '# Only words\n',
    'empty.md': '',
    'open.md': '---\nname: a\n',
    'circle.md': '---\nname: a\nhooks: &a { b: *a }\n---\n',
    'deep.md': `---\nname: a\nhooks: ${'{a: '.repeat(5000)}\n---\n`,
  })
  await writeFile(join(cli.folder, 'latin.md'), Buffer.from('---\nname: a\nx: caf\xe9\n---\n', 'latin1'))
  await writeFile(join(cli.folder, 'utf16.md'), Buffer.from(`\ufeff${PAINTER}`, 'utf16le'))
  await run('mkfifo', [join(cli.folder, 'pipe.md')])
  const names = [
    ...['good', 'large', 'folder/in', 'nowhere', 'no-agent', 'empty', 'open', 'circle', 'deep', 'latin'],
    ...['utf16', 'pipe', 'good'],
  ]
  const ended = await cli.run(['agents', 'read', ...names.map((name) => `${name}.md`), '--json'])
  expect(ended).toMatchObject({ code: 1, errors: '' })
  const all = records(ended)
  const told = all.map(({ path, agent, diagnostics }) => [path, agent, diagnostics[0]?.code ?? null])
  expect(told).toEqual([
    ['good.md', true, null],
    ['large.md', false, 'too-large'],
    // A folder means its files, even if its name ends in .md.
    ['folder/in.md/deep.md', true, null],
    ['nowhere.md', false, 'unreadable'],
    ['no-agent.md', false, 'no-frontmatter'],
    ['empty.md', false, 'no-frontmatter'],
    ['open.md', false, 'open-frontmatter'],
    ['circle.md', false, 'invalid-yaml'],
    ['deep.md', expect.any(Boolean), expect.any(String)],
    ['latin.md', false, 'not-utf8'],
    ['utf16.md', false, 'not-utf8'],
    ['pipe.md', false, 'unreadable'],
    ['good.md', true, null],
  ])
  const latin = all.find(({ path }) => path === 'latin.md')
  expect(latin).toMatchObject({ offered: false, name: null, tools: null, prompt: null, rescued: [] })
  expect(latin.diagnostics).toEqual([
    { code: 'not-utf8', severity: 'error', line: 3, column: 7, message: expect.stringContaining('line 3') },
  ])
})

test('without errors the exit code is 0, even with warnings and files that are not agents', async () => {
  const cli = await commandLine()
  await cli.write({
    'words.md': '# Only words\n',
    'warned.md': '---\nname: a\ndescription: When: always\nmaxTurns: -1\n---\n',
  })
  const ended = await cli.run(['agents', 'read', 'words.md', 'warned.md', '--json'])
  expect(ended.code).toBe(0)
  expect(records(ended)[1]).toMatchObject({ description: 'When: always', rescued: ['quote-description'] })
})

describe('folders and links', () => {
  test('a folder means all its *.md files, by path; links that leave the folder are refused', async () => {
    const cli = await commandLine()
    await cli.write({
      'agents/b.md': PAINTER,
      'agents/a/z.md': PAINTER,
      'agents/notes.txt': 'x',
      'outside/secret.md': PAINTER,
    })
    await symlink('../outside/secret.md', join(cli.folder, 'agents/c.md'))
    await symlink('b.md', join(cli.folder, 'agents/d.md'))
    await symlink('../outside', join(cli.folder, 'agents/e'))
    await symlink('nowhere', join(cli.folder, 'agents/f.md'))
    const ended = await cli.run(['agents', 'read', 'agents/', '--json'])
    expect(records(ended).map(({ path, agent }) => [path, agent])).toEqual([
      ['agents/a/z.md', true],
      ['agents/b.md', true],
      ['agents/c.md', false],
      ['agents/d.md', true],
      ['agents/f.md', false],
    ])
    expect(ended.output).toContain('leads out of its folder')
    // A link on the command line means its target.
    const named = await cli.run(['agents', 'read', 'agents/c.md', '--json'])
    expect(records(named)).toMatchObject([{ path: 'agents/c.md', agent: true }])
  })

  test('a folder without *.md files is reported', async () => {
    const cli = await commandLine()
    const { code, output, errors } = await cli.run(['agents', 'read', '.', '--json'])
    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(errors).toContain('. has no *.md files.')
  })
})

describe('standard input', () => {
  test('is a file with an optional name', async () => {
    const cli = await commandLine()
    await cli.write({ 'a.md': PAINTER })
    const text = '\ufeff---\r\ndescription: Sings.\r\n---\r\nLa.\r\n'
    const args = ['agents', 'read', 'a.md', '-', '--stem', 'singer.agent', '--json']
    expect(records(await cli.run(args, {}, text))).toMatchObject([
      { path: 'a.md', name: 'painter' },
      { path: '-', agent: true, name: 'singer', description: 'Sings.', prompt: 'La.' },
    ])
  })

  test('that is empty or too long is not an agent', async () => {
    const cli = await commandLine()
    const args = ['agents', 'read', '-', '--json']
    expect(records(await cli.run(args))).toMatchObject([{ path: '-', agent: false, name: null }])
    const large = await cli.run(args, {}, 'x'.repeat(1_100_000))
    expect(large.code).toBe(1)
    expect(records(large)).toMatchObject([{ agent: false, diagnostics: [{ code: 'too-large' }] }])
  })
})

test('without --json it prints the fields, then the problems with positions', async () => {
  const cli = await commandLine()
  await cli.write({
    'a.md': '---\nname: a\u001b[31m\ndescription: |\n  One.\n  Two.\ntools: []\nmaxTurns: x\n---\nYou.\n',
    'b.md': 'Words.\n',
  })
  const { code, output } = await cli.run(['agents', 'read', 'a.md', 'b.md'])
  expect(code).toBe(1)
  expect(output).not.toContain('\u001b')
  expect(output).toMatch(/^a\.md: not in use\n {2}name {9}a⟨ESC⟩\[31m\n {2}description {2}One\. ↵ Two\.\n/)
  expect(output).toMatch(/^ {2}tools {8}none$/m)
  expect(output).toMatch(/^a\.md:2:7 error .*\(bad-name\)$/m)
  expect(output).toMatch(/^a\.md:7:11 warning .*\(bad-maxTurns\)$/m)
  expect(output).toMatch(/^b\.md: not an agent\nb\.md:1:1 notice .*\(no-frontmatter\)$/m)
})

test('a pipe closed early is not an error', async () => {
  const cli = await commandLine()
  const files: Record<string, string> = {}
  for (let at = 0; at < 400; at++) files[`many/${at}.md`] = `${PAINTER}${'Paint. '.repeat(200)}`
  await cli.write(files)
  const script = `set -o pipefail; "$0" "$1" agents read --json many | head -n 1`
  const { stdout, stderr } = await run('bash', ['-c', script, process.execPath, PROGRAM], {
    cwd: cli.folder,
  })
  expect(JSON.parse(stdout)).toMatchObject({ path: 'many/0.md', agent: true })
  expect(stderr).toBe('')
})

describe('wrong usage', () => {
  test.each([
    [['read'], 'Give files'],
    [['read', '--json'], 'Give files'],
    [['read', '-', '-'], 'only once'],
    [['read', 'a.md', '--stem', 'b'], 'Give - as a file'],
    [['read', 'a.md', '--trust'], "Unknown option '--trust'"],
    [['explain'], 'troupe agents explain NAME'],
    [['explain', 'a', 'b'], 'Quote a name with spaces'],
    [['explain', 'a', '--depth', 'deep'], '--depth must be a number'],
    [['list', 'painter'], 'troupe agents explain painter'],
    [['list', '--agents', '{'], '--agents must be JSON'],
    [['list', '--agents', '[]'], 'It is not an object.'],
    [['lint', '-'], 'troupe agents read -'],
    [[], 'Use troupe agents list, lint, explain, approve, read or test.'],
  ])('troupe agents %j', async (args, message) => {
    const cli = await commandLine()
    const { code, output, errors } = await cli.run(['agents', ...args])
    expect(errors).toContain(message)
    expect({ code, output }).toEqual({ code: 2, output: '' })
  })
})
