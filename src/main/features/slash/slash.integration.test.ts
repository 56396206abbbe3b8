// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the text of skills looks like templates
/** Commands of files, with real files, rules and shell. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { PermissionMode } from '../../../shared/events/agent-event.ts'
import type { FolderRules, WrittenRule } from '../../../shared/rules/written-rule.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { createShell } from '../../platform/shell/create-shell.ts'
import { createSlashCommands } from '../../runtime/slash/create-slash-commands.ts'
import { createSkillSource } from '../definitions/skill-source.ts'
import { createCommandFiles } from './feature.ts'

let home: string
let folder: string
let trusted = true
let isMarked = false
let mode: PermissionMode = 'default'
let rules: FolderRules

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'troupe-slash-')))
  folder = join(home, 'work')
  trusted = true
  isMarked = false
  mode = 'default'
  rules = { deny: [], ask: [], allow: [], additionalDirectories: [] }
  await mkdir(folder)
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function put(path: string, text: string): Promise<void> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
const command = (path: string, text: string) => put(`work/.claude/commands/${path}`, text)
const rule = (text: string): WrittenRule => ({ text, source: 'user', file: null, line: null, where: 'here' })

function slash(plugins: readonly string[] = []) {
  const shell = createShell({ environment: { PATH: process.env['PATH'] ?? '' } }).shell
  return createSlashCommands({
    commands: createCommandFiles({ home, plugins: () => plugins }),
    skills: createSkillSource({ home }),
    files: createNodeFileSystem(),
    search: { first: async () => ({ ok: true, value: null }) } as never,
    rules: { of: async () => rules } as never,
    policy: {
      trusted: () => trusted,
      bypassAllowed: () => isMarked,
      ownPaths: { dataFolder: join(home, 'data'), settingsFile: join(home, 'data/settings.json'), home },
    } as never,
    shell,
    serverTools: {
      servers: () => [],
      ready: async () => {},
      closed: () => {},
      need: async () => [],
      released: () => {},
    },
    mcp: {
      prompts: async () => [
        {
          server: 'tracker',
          name: 'triage',
          description: 'Sorts issues',
          arguments: [
            { name: 'project', required: true },
            { name: 'note', required: false },
          ],
        },
      ],
      prompt: async (_, { arguments: given }) => ({ ok: true, value: `Sort ${JSON.stringify(given)}` }),
    },
    agentState: async () => null,
    newMode: () => mode,
  })
}
const expand = (line: string, approved: readonly string[] = []) =>
  slash().expand({ folder, line, agent: null, approved }, new AbortController().signal)
async function textOf(line: string, approved: readonly string[] = []): Promise<string> {
  const expanded = await expand(line, approved)
  return expanded.ok ? expanded.value.text : `${expanded.failure.type}: ${expanded.failure.message}`
}

test('all sources are listed, the strongest first; a wrong file says its line, and the others work', async () => {
  await command('fix.md', '---\ndescription: Fixes an issue\nargument-hint: [issue]\n---\nFix $1.')
  await command('git/commit.md', 'Commit it.')
  await command('bad.md', '---\ndescription: x\nmodel: {a: [}\n---\nBody')
  await command('with space.md', 'x')
  await put('.claude/commands/fix.md', 'The user’s own.')
  await put('.claude/commands/mine.md', 'Mine.')
  await put('work/.claude/skills/tidy/SKILL.md', '---\ndescription: Tidies\n---\nTidy up.')
  await put('plug/commands/go.md', 'Go.')
  const list = await slash([join(home, 'plug')]).list(folder)
  expect(list.map(({ name, source }) => `${name} ${source}`)).toEqual([
    'bad project',
    'fix project',
    'git:commit project',
    'init built-in',
    'mcp__tracker__triage mcp',
    'mine user',
    'plug:go plugin',
    'review built-in',
    'tidy skill',
    'with space project',
  ])
  expect(list[1]).toMatchObject({ description: 'Fixes an issue', argumentHint: '[issue]', problem: null })
  expect(list[0]?.problem).toContain('bad.md:3: The frontmatter is not valid YAML')
  expect(await textOf('/bad')).toMatch(/^wrong: .*bad\.md:3/)
  expect(await textOf('/fix 12')).toBe(
    `The user ran the command /fix with the arguments: 12\nFollow the text of the command, from ${folder}/.claude/commands/fix.md:\n\nFix 12.`,
  )
  trusted = false
  expect((await slash().list(folder)).map(({ source }) => source)).not.toContain('project')
})

test('a changed file is read again', async () => {
  const commands = slash()
  const read = () =>
    commands.expand({ folder, line: '/a', agent: null, approved: [] }, new AbortController().signal)
  await command('a.md', 'One.')
  expect(await read()).toMatchObject({ value: { text: expect.stringContaining('One.') } })
  await command('a.md', 'Another one.')
  expect(await read()).toMatchObject({ value: { text: expect.stringContaining('Another one.') } })
})

test('shell commands run under the rules; their output can’t end its tag', async () => {
  await command('say.md', 'Said: !`echo "$1</command-output>"`')
  expect(await textOf('/say hi')).toContain(
    'Said: <command-output command="echo \\"hi</command-output>\\"">\nhi<\\/command-output>\n</command-output>',
  )
  rules = { ...rules, deny: [rule('Bash(echo:*)')] }
  expect(await textOf('/say hi')).toMatch(/^denied: .*echo/)
})

test('a command that would ask runs nothing until it is allowed; one that is denied never runs', async () => {
  await command('make.md', '!`touch one` !`touch two`')
  expect(await expand('/make')).toMatchObject({
    failure: { type: 'needs-permission', commands: ['touch one', 'touch two'] },
  })
  expect(await textOf('/make', ['touch one'])).toMatch(/^needs-permission: .*touch two/)
  const files = createNodeFileSystem()
  expect((await files.stat(join(folder, 'one'))).ok).toBe(false)
  expect(await textOf('/make', ['touch one', 'touch two'])).toContain('[No output.]')
  expect((await files.stat(join(folder, 'two'))).ok).toBe(true)
  rules = { ...rules, deny: [rule('Bash(touch:*)')] }
  expect(await textOf('/make', ['touch one', 'touch two'])).toMatch(/^denied/)
  rules = { ...rules, deny: [] }
  mode = 'plan'
  expect(await textOf('/make', ['touch one', 'touch two'])).toMatch(/^denied/)
})

test('the mode of a new conversation counts, and bypassPermissions only where the folder is marked', async () => {
  await command('make.md', '!`touch one`')
  const expandIn = (wanted: PermissionMode) =>
    slash().expand(
      { folder, line: '/make', agent: null, mode: wanted, approved: ['touch one'] },
      new AbortController().signal,
    )
  expect(await expandIn('plan')).toMatchObject({ failure: { type: 'denied' } })
  const unapproved = { folder, line: '/make', agent: null, mode: 'bypassPermissions', approved: [] } as const
  expect(await slash().expand(unapproved, new AbortController().signal)).toMatchObject({
    failure: { type: 'needs-permission' },
  })
  isMarked = true
  expect(await slash().expand(unapproved, new AbortController().signal)).toMatchObject({ ok: true })
})

test('allowed-tools allows shell commands of the user’s own files only', async () => {
  const text = '---\nallowed-tools: Bash(touch:*)\n---\n!`touch made`'
  await put('.claude/commands/own.md', text)
  await command('theirs.md', text)
  expect(await textOf('/own')).toContain('command="touch made"')
  expect(await textOf('/theirs')).toMatch(/^needs-permission/)
  rules = { ...rules, deny: [rule('Bash(touch:*)')] }
  expect(await textOf('/own')).toMatch(/^denied/)
})

test('a failed shell command is named with its output, and nothing is sent', async () => {
  await command('fail.md', '!`ls missing-file`')
  expect(await textOf('/fail')).toMatch(
    /^failed: Nothing was sent: the command ls missing-file failed \(exit code \d+\)\.\n.*missing-file/,
  )
})

test('files are added under the rules for reading; unknown names stay text', async () => {
  await put('work/notes.txt', 'Secret </file> plan')
  await command('read.md', 'Read @notes.txt and @nobody.')
  expect(await textOf('/read')).toMatch(
    /Read @notes\.txt and @nobody\.\n\n<file path="notes\.txt">\nSecret <\\\/file> plan\n<\/file>$/,
  )
  rules = { ...rules, deny: [rule('Read(notes.txt)')] }
  expect(await textOf('/read')).toMatch(/^denied: .*notes\.txt/)
  await put('outside.txt', 'x')
  await command('out.md', 'Read @../outside.txt')
  expect(await textOf('/out')).toMatch(/^denied/)
})

test('in a folder without trust a command of the user runs nothing', async () => {
  await put('.claude/commands/own.md', '---\nallowed-tools: Bash\n---\n!`touch made`')
  trusted = false
  expect(await textOf('/own')).toMatch(/^denied/)
})

test('the fields of skills hold: shell commands, arguments, the folder, who may run it, an agent of its own', async () => {
  const skill = (name: string, text: string) => put(`.claude/skills/${name}/SKILL.md`, text)
  await skill('look', '---\nallowed-tools: Bash(echo:*)\n---\nSee !`echo $0` in ${CLAUDE_SKILL_DIR}/x.')
  await skill('ask', '---\ndescription: Asks\n---\n!`touch made`')
  await skill('quiet', '---\nuser-invocable: false\n---\nFor agents.')
  await skill(
    'dig',
    '---\ncontext: fork\nagent: Explore\nmodel: haiku\nargument-hint: [what]\n---\nDig for $1.',
  )
  const text = await textOf('/look here')
  expect(text).toContain('See <command-output command="echo here">\nhere\n</command-output> in')
  expect(text).toContain(`${home}/.claude/skills/look/x.`)
  expect(await textOf('/ask')).toMatch(/^needs-permission: .*touch made/)
  expect(await textOf('/quiet')).toMatch(/^unknown: .*for agents only/)
  expect(await textOf('/dig gold')).toMatch(
    /^The user ran the command \/dig [\s\S]*Call Skill once with \{"skill":"dig","args":"gold"\}(?![\s\S]*Dig for)/,
  )
  await skill('deep', '---\nmodel: opus\n---\nThink.')
  expect(await textOf('/deep')).toMatch(/call Skill once with \{"skill":"deep"\}, and follow/)
  await skill('mine', '---\nmodel: opus\ndisable-model-invocation: true\n---\nThink.')
  expect(await textOf('/mine')).toContain('Think.')
  const listed = await slash().list(folder)
  expect(listed.map(({ name }) => name)).not.toContain('quiet')
  expect(listed.find(({ name }) => name === 'dig')?.argumentHint).toBe('[what]')
})

test('skills and prompts of servers are commands; missing arguments and similar names are told', async () => {
  await put('work/.claude/skills/tidy/SKILL.md', '---\ndescription: Tidies\n---\nTidy $ARGUMENTS.')
  expect(await textOf('/tidy src')).toContain('Follow the skill tidy:\n\nTidy src.')
  expect(await textOf('/mcp__tracker__triage web all of it')).toContain(
    'Sort {"project":"web","note":"all of it"}',
  )
  expect(await textOf('/mcp__tracker__triage')).toBe(
    'arguments: /mcp__tracker__triage needs project. Usage: /mcp__tracker__triage <project> [note]',
  )
  expect(await textOf('/tydi')).toBe('unknown: Unknown command /tydi. Similar: /tidy.')
})

test('/init and /review are there without files, and a file of that name counts before', async () => {
  const expand = async (line: string) => {
    const answer = await slash().expand(
      { folder, line, agent: null, approved: [] },
      new AbortController().signal,
    )
    return answer.ok ? answer.value.text : answer.failure.message
  }
  expect(await expand('/init the API matters')).toMatch(
    /^The user ran the command \/init.*The user adds: the API matters$/s,
  )
  expect(await expand('/review')).toContain('Review the uncommitted changes')
  expect(await expand('/review #41')).toContain('gh pr diff 41')
  await command('review.md', 'Look at the tests only.')
  expect(await expand('/review')).toContain('Look at the tests only.')
  const named = (await slash().list(folder)).filter(({ name }) => name === 'review')
  expect(named.map(({ source }) => source)).toEqual(['project'])
})
