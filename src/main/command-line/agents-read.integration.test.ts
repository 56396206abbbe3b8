/** `troupe agents read` as people and scripts use it: each file by itself, and never a crash. */
import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { PROGRAM } from '../testing/program-file.ts'
import { commandLine, type Ended } from './testing/command-line.ts'

const run = promisify(execFile)

const records = ({ output }: Ended) =>
  output
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

const PAINTER = '---\nname: painter\ndescription: Paints walls.\n---\nYou paint.\n'

test('--json prints all there is to know of a file, on one line', async () => {
  const place = await commandLine()
  await place.write({
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
  const ended = await place.run(['agents', 'read', './a.md', '--json'])
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
    memory: 'project',
    skills: ['commit', 'review'],
    maxTurns: 12,
    effort: 'high',
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
    ...['permissionMode', 'forkContext', 'background', 'isolation', 'memory', 'skills', 'maxTurns', 'effort'],
    ...['mcpServers', 'hooks', 'initialPrompt', 'reminder', 'omitProjectInstructions', 'readOnly'],
    ...['oneShot', 'aliases', 'hidden', 'prompt', 'rescued', 'diagnostics'],
  ])
  expect(ended).toMatchObject({ code: 0, errors: '' })
})

test('tools are null, none, all or a list, as they were written', async () => {
  const place = await commandLine()
  const file = (tools: string) => `---\nname: a\ndescription: b\n${tools}---\n`
  await place.write({
    '1.md': file(''),
    '2.md': file('tools:\n'),
    '3.md': file('tools: "*"\n'),
    '4.md': file('tools: Read Grep\n'),
  })
  const read = await place.run(['agents', 'read', '4.md', '3.md', '2.md', '1.md', '--json'])
  expect(records(read).map(({ path, tools }) => [path, tools])).toEqual([
    ['4.md', ['Read', 'Grep']],
    ['3.md', ['*']],
    ['2.md', []],
    ['1.md', null],
  ])
})

test('what can’t be read is told in its place, and the others are read', async () => {
  const place = await commandLine()
  await place.write({
    'good.md': PAINTER,
    'large.md': `${PAINTER}${'x'.repeat(1024 * 1024)}`,
    'folder/in.md/deep.md': PAINTER,
    'no-agent.md': '# Only words\n',
    'empty.md': '',
    'open.md': '---\nname: a\n',
    'circle.md': '---\nname: a\nhooks: &a { b: *a }\n---\n',
    'deep.md': `---\nname: a\nhooks: ${'{a: '.repeat(5000)}\n---\n`,
  })
  await writeFile(join(place.folder, 'latin.md'), Buffer.from('---\nname: a\nx: caf\xe9\n---\n', 'latin1'))
  await writeFile(join(place.folder, 'utf16.md'), Buffer.from(`\ufeff${PAINTER}`, 'utf16le'))
  await run('mkfifo', [join(place.folder, 'pipe.md')])
  const names = [
    ...['good', 'large', 'folder/in', 'nowhere', 'no-agent', 'empty', 'open', 'circle', 'deep', 'latin'],
    ...['utf16', 'pipe', 'good'],
  ]
  const ended = await place.run(['agents', 'read', ...names.map((name) => `${name}.md`), '--json'])
  expect(ended).toMatchObject({ code: 1, errors: '' })
  const all = records(ended)
  const told = all.map(({ path, agent, diagnostics }) => [path, agent, diagnostics[0]?.code ?? null])
  expect(told).toEqual([
    ['good.md', true, null],
    ['large.md', false, 'too-large'],
    // A folder, whatever it is called, stands for the files in it.
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

test('no errors end with 0, warnings and files that are no agents too', async () => {
  const place = await commandLine()
  await place.write({
    'words.md': '# Only words\n',
    'warned.md': '---\nname: a\ndescription: When: always\nmaxTurns: -1\n---\n',
  })
  const ended = await place.run(['agents', 'read', 'words.md', 'warned.md', '--json'])
  expect(ended.code).toBe(0)
  expect(records(ended)[1]).toMatchObject({ description: 'When: always', rescued: ['quote-description'] })
})

describe('folders and links', () => {
  test('a folder stands for all *.md below it, by path; links do not lead out of it', async () => {
    const place = await commandLine()
    await place.write({
      'agents/b.md': PAINTER,
      'agents/a/z.md': PAINTER,
      'agents/notes.txt': 'x',
      'outside/secret.md': PAINTER,
    })
    await symlink('../outside/secret.md', join(place.folder, 'agents/c.md'))
    await symlink('b.md', join(place.folder, 'agents/d.md'))
    await symlink('../outside', join(place.folder, 'agents/e'))
    await symlink('nowhere', join(place.folder, 'agents/f.md'))
    const ended = await place.run(['agents', 'read', 'agents/', '--json'])
    expect(records(ended).map(({ path, agent }) => [path, agent])).toEqual([
      ['agents/a/z.md', true],
      ['agents/b.md', true],
      ['agents/c.md', false],
      ['agents/d.md', true],
      ['agents/f.md', false],
    ])
    expect(ended.output).toContain('leads out of its folder')
    // Who names a link means what it leads to.
    const named = await place.run(['agents', 'read', 'agents/c.md', '--json'])
    expect(records(named)).toMatchObject([{ path: 'agents/c.md', agent: true }])
  })

  test('a folder without any says so', async () => {
    const place = await commandLine()
    const { code, output, errors } = await place.run(['agents', 'read', '.', '--json'])
    expect({ code, output }).toEqual({ code: 0, output: '' })
    expect(errors).toContain('There is no file *.md below .')
  })
})

describe('standard input', () => {
  test('is a file whose name can be given', async () => {
    const place = await commandLine()
    await place.write({ 'a.md': PAINTER })
    const text = '\ufeff---\r\ndescription: Sings.\r\n---\r\nLa.\r\n'
    const words = ['agents', 'read', 'a.md', '-', '--stem', 'singer.agent', '--json']
    expect(records(await place.run(words, {}, text))).toMatchObject([
      { path: 'a.md', name: 'painter' },
      { path: '-', agent: true, name: 'singer', description: 'Sings.', prompt: 'La.' },
    ])
  })

  test('empty, or too much', async () => {
    const place = await commandLine()
    const words = ['agents', 'read', '-', '--json']
    expect(records(await place.run(words))).toMatchObject([{ path: '-', agent: false, name: null }])
    const large = await place.run(words, {}, 'x'.repeat(1_100_000))
    expect(large.code).toBe(1)
    expect(records(large)).toMatchObject([{ agent: false, diagnostics: [{ code: 'too-large' }] }])
  })
})

test('for a person: what it says, then its problems with their places', async () => {
  const place = await commandLine()
  await place.write({
    'a.md': '---\nname: a\u001b[31m\ndescription: |\n  One.\n  Two.\ntools: []\nmaxTurns: x\n---\nYou.\n',
    'b.md': 'Words.\n',
  })
  const { code, output } = await place.run(['agents', 'read', 'a.md', 'b.md'])
  expect(code).toBe(1)
  expect(output).not.toContain('\u001b')
  expect(output).toMatch(/^a\.md: not offered\n {2}name {9}a⟨ESC⟩\[31m\n {2}description {2}One\. ↵ Two\.\n/)
  expect(output).toMatch(/^ {2}tools {8}none$/m)
  expect(output).toMatch(/^a\.md:2:7 error .*\(bad-name\)$/m)
  expect(output).toMatch(/^a\.md:7:11 warning .*\(bad-maxTurns\)$/m)
  expect(output).toMatch(/^b\.md: not an agent\nb\.md:1:1 notice .*\(no-frontmatter\)$/m)
})

test('a reader that goes away early is no error', async () => {
  const place = await commandLine()
  const files: Record<string, string> = {}
  for (let at = 0; at < 400; at++) files[`many/${at}.md`] = `${PAINTER}${'Paint. '.repeat(200)}`
  await place.write(files)
  const script = `set -o pipefail; "$0" "$1" agents read --json many | head -n 1`
  const { stdout, stderr } = await run('bash', ['-c', script, process.execPath, PROGRAM], {
    cwd: place.folder,
  })
  expect(JSON.parse(stdout)).toMatchObject({ path: 'many/0.md', agent: true })
  expect(stderr).toBe('')
})

describe('asked wrongly', () => {
  test.each([
    [['read'], 'Say which files'],
    [['read', '--json'], 'Say which files'],
    [['read', '-', '-'], 'once only'],
    [['read', 'a.md', '--stem', 'b'], 'give - as a file'],
    [['read', 'a.md', '--trust'], "Unknown option '--trust'"],
    [['explain'], 'troupe agents explain NAME'],
    [['explain', 'a', 'b'], 'goes in quotes'],
    [['explain', 'a', '--depth', 'deep'], '--depth wants a number'],
    [['list', 'painter'], 'troupe agents explain painter'],
    [['list', '--agents', '{'], '--agents wants JSON'],
    [['list', '--agents', '[]'], 'This is no object.'],
    [['lint', '-'], 'troupe agents read -'],
    [[], 'knows list, lint, explain and read.'],
  ])('troupe agents %j', async (words, says) => {
    const place = await commandLine()
    const { code, output, errors } = await place.run(['agents', ...words])
    expect(errors).toContain(says)
    expect({ code, output }).toEqual({ code: 2, output: '' })
  })
})
