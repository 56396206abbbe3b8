/** `troupe permissions …`, and that a run decides as it explains. */

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { type ComposedRuntime, composeRuntime } from '../../features.ts'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { permissionsExplain } from './permissions-command.ts'

const SETTINGS = JSON.stringify(
  {
    permissions: {
      allow: ['Bash'],
      ask: ['Edit(docs/**)', 'Agent(Plan)'],
      deny: ['Bash(rm:*)', 'Read(secrets/**)', 'Task(Explore)'],
    },
  },
  null,
  2,
)
const DENIED = 'Denied by the rule Bash(rm:*) in .claude/settings.json:11.'

async function withRules(): Promise<CommandLine> {
  const cli = await commandLine((folder) => ({
    trustedFolders: [folder],
    permissions: { allow: ['Bash(npm test)'] },
  }))
  await cli.write({ '.claude/settings.json': SETTINGS, 'a.txt': 'a\n', 'secrets/key': 'k\n' })
  return cli
}

test('a call is explained by rule, file and line, each part by itself', async () => {
  const cli = await withRules()
  const program = await compose(cli)
  const explain = (...args: readonly string[]) => explainIn(program, cli, [...args, '--json'])
  expect(JSON.parse((await explain('Bash(npm test && rm -rf x)')).output)).toMatchObject({
    decision: 'deny',
    because: `${DENIED} This is about the part \`rm -rf x\`. Nothing of the command line was run.`,
    mode: 'default',
    rules: [{ text: 'Bash(rm:*)', file: `${cli.folder}/.claude/settings.json`, line: 11 }],
    parts: [
      { text: 'npm test', decision: 'allow', rules: [{ source: 'own', line: 1 }] },
      { text: 'rm -rf x', decision: 'deny', because: DENIED },
    ],
  })
  const cases = [
    [['Read(/etc/passwd)'], 'ask'],
    [['Read(secrets/key)'], 'deny'],
    [['Agent(Explore)'], 'deny'],
    [['Agent(Plan)'], 'ask'],
    [['Agent(reviewer)'], 'allow'],
    [['Grep(x)'], 'allow'],
    [['Bash(cat secrets/key)'], 'deny'],
    [['Bash(cd secrets && cat key)'], 'deny'],
    [['Edit(docs/a.md)'], 'ask'],
    [['Write({"file_path": "docs/a.md", "content": "x"})'], 'ask'],
    [['TodoWrite'], 'allow'],
    [['WebFetch(https://example.com)'], 'ask'],
    [['--mode', 'dontAsk', 'WebFetch(https://example.com)'], 'deny'],
    [['--mode', 'acceptEdits', 'Edit(src/a)'], 'allow'],
    [['--mode', 'plan', 'Edit(src/a)'], 'deny'],
  ] as const
  for (const [args, decision] of cases)
    expect(JSON.parse((await explain(...args)).output), args.join(' ')).toMatchObject({ decision })
  expect(JSON.parse((await explain('--agent', 'explore', 'Write(src/a)')).output)).toMatchObject({
    decision: 'deny',
    because: expect.stringContaining('Explore has no Write'),
  })
  for (const [args, message] of [
    [['Nonsense(x)'], 'There is no tool Nonsense.'],
    [['what is this'], 'is not a call'],
    [['Edit'], 'Edit needs a path'],
    [['--agent', 'Exploer', 'Bash(ls)'], 'Agent "Exploer" not found. Did you mean Explore?'],
  ] as const) {
    const { code, errors } = await explain(...args)
    expect(code).toBe(1)
    expect(errors).toContain(message)
  }
  for (const [args, code] of [
    [['Bash(npm test)'], 0],
    [['Bash(rm -rf x)'], 1],
    [['Read(~/.ssh/id_rsa)'], 3],
    [['Bash(npm test && cat ~/.ssh/id_rsa)'], 3],
    [['Read(~/notes.txt)', '--mode', 'dontAsk'], 1],
    [['Nonsense(x)'], 2],
    [['Bash(ls)', '--agent', 'Exploer'], 2],
  ] as const)
    expect(await explain('test', ...args), args.join(' ')).toMatchObject({ code })
  expect(JSON.parse((await explain('test', 'Read(~/.ssh/id_rsa)')).output)).toMatchObject({
    because: `${cli.home}/.ssh/id_rsa may contain a secret.`,
  })
  await program.close()
})

test('the rules are listed with what is ignored, and a run decides by them', async () => {
  const cli = await withRules()
  const scenario = await cli.scenario(`steps:
  - agent: /main agent/
    turn: 1
    reply:
      - tool: Bash
        input: { command: "rm a.txt" }
  - agent: /main agent/
    reply: Done.
`)
  const [listed, explained, tested, ran] = await Promise.all([
    cli.run(['permissions', 'list', '--deny', 'Edit']),
    cli.run(['permissions', 'explain', 'Bash(npm test && rm -rf x)', '--deny', 'Bash(npm:*)']),
    cli.run(['permissions', 'test', 'Bash(rm a.txt)']),
    cli.run(['run', 'Go', '--permission-mode', 'acceptEdits', '--json', '--scenario', scenario]),
  ])
  expect(listed.output).toContain('deny  Bash(rm:*)        .claude/settings.json:11\n')
  expect(listed.output).toMatch(/^deny {2}Edit +the command line \(--deny\)$/m)
  expect(listed.output).toMatch(/problem: \.claude\/settings\.json:3:14: The rules that allow are ignored/)
  expect(explained.output).toContain('denied   Bash(npm test && rm -rf x)\n')
  expect(explained.output).toContain(
    '  denied   npm test\n           Denied by the rule Bash(npm:*) in the command line (--deny).',
  )
  expect(tested.code).toBe(1)
  expect(tested.output).toContain(DENIED)
  expect(ran.code, ran.errors).toBe(0)
  expect(ran.output).toContain(DENIED)
})

function compose({ dataFolder, home, folder }: CommandLine): Promise<ComposedRuntime> {
  const root = join(import.meta.dirname, '../../../..')
  return composeRuntime({
    dataFolder,
    home,
    environment: { PATH: process.env['PATH'], HOME: home },
    settings: { current: { ...defaultSettings, trustedFolders: [folder] } },
    agentsFolder: join(root, 'agents'),
    docsFolder: join(root, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
}

async function explainIn(program: ComposedRuntime, { folder }: CommandLine, args: readonly string[]) {
  const [first = '', ...others] = args
  const parsed = parseLine<Parameters<typeof permissionsExplain>[0]>([
    'permissions',
    ...(first === 'test' ? args : ['explain', first, ...others]),
  ])
  if (!parsed.ok) throw new Error(parsed.failure.message)
  const output: string[] = []
  const errors: string[] = []
  const code = await permissionsExplain(parsed.value, {
    folder,
    dispatch: program.dispatch,
    userMode: 'default',
    output: { write: (text) => output.push(text) },
    errors: { write: (text) => errors.push(text) },
  })
  return { code, output: output.join(''), errors: errors.join('') }
}
