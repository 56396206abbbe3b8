/** `troupe hooks …` with real hooks. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { composeRuntime } from '../../features.ts'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'
import { parseLine } from '../../testing/parse-line.ts'
import { realTroupe } from '../../testing/real-troupe.ts'
import { type HooksCommand, hooksCommand } from './hooks-command.ts'

test("a project's hook is listed, tested only after its approval, and turned off again", async () => {
  const cli = await commandLine()
  const command = `grep -q 'rm -rf' && { echo 'no rm' >&2; exit 2; } || exit 0`
  const configured = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] }
  await cli.write({ '.claude/settings.json': JSON.stringify({ hooks: configured }) })
  expect((await run(cli, 'list')).output).toContain('not trusted')
  const listed = await run(cli, 'list', '--trust')
  expect(listed.output).toContain(`1  PreToolUse Bash: ${command}\n   new, waits for approval  (`)
  expect(await run(cli, 'test', 'PreToolUse', '--trust')).toMatchObject({
    output: '',
    errors: 'No hook that is on matches this PreToolUse.\n',
  })
  expect((await run(cli, 'approve', '1', '--trust')).output).toContain('It is approved')
  const denied = await run(cli, 'test', 'PreToolUse', '--trust', '--input', '{"command":"rm -rf /"}')
  expect(denied.output).toContain('exit code 2')
  expect(denied.output).toContain('answer: deny: no rm')
  expect((await run(cli, 'test', 'PreToolUse', '--trust')).output).toContain('no objection')
  expect((await run(cli, 'test', 'PreToolUse', '--trust', '--tool', 'Read')).errors).toContain('No hook')
  expect((await run(cli, 'refuse', '1', '--trust')).output).toContain('It is off.')
  const [line = ''] = (await run(cli, 'list', '--trust', '--json')).output.split('\n')
  expect(JSON.parse(line)).toMatchObject({ type: 'hook', state: 'off', definition: { matcher: 'Bash' } })
  expect(await run(cli, 'approve', '9', '--trust')).toMatchObject({ code: 1 })
})

test('a test at Stop runs the hooks that really run, with a transcript that they can read', async () => {
  const cli = await commandLine()
  const command = `python3 -c 'import json,sys; d=json.load(sys.stdin); print(open(d["transcript_path"]).read())'`
  const configured = { Stop: [{ matcher: 'ignored', hooks: [{ type: 'command', command }] }] }
  await cli.write({ '.claude/settings.json': JSON.stringify({ hooks: configured }) })
  await run(cli, 'approve', '1', '--trust')
  expect((await run(cli, 'test', 'Stop', '--trust')).output).toContain('"role":"assistant"')
})

test("the hooks of a project's agents are listed and approved in the same way", async () => {
  const cli = await commandLine()
  await cli.write({
    '.claude/agents/a.md':
      '---\nname: a\ndescription: b\nhooks:\n  Stop:\n    - hooks: [{ type: command, command: own.sh }]\n---\nWork.\n',
  })
  expect((await run(cli, 'list', '--trust')).output).toContain(
    '1  Stop *: own.sh\n   new, waits for approval  (agent a)',
  )
  await run(cli, 'approve', '1', '--trust')
  expect((await run(cli, 'list', '--trust')).output).toContain('own.sh\n   on  (agent a)')
})

test('a hook that changed shows what was approved and what it is now, before it is approved again', async () => {
  const cli = await commandLine()
  const configure = (timeout: number) => {
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: 'true', timeout }] }] }
    return cli.write({ '.claude/settings.json': JSON.stringify({ hooks }) })
  }
  await configure(5)
  await run(cli, 'approve', '1', '--trust')
  await configure(3000)
  for (const action of ['list', 'approve']) {
    const { output } = await run(cli, ...(action === 'list' ? ['list'] : ['approve', '1']), '--trust')
    expect(output).toMatch(/before: .*"timeout":5[,}].*\n {3}now: {4}.*"timeout":3000[,}]/)
  }
  expect((await run(cli, 'list', '--trust')).output).not.toContain('before:')
})

test('wrong arguments say what is right', () => {
  const failed = (...args: readonly string[]) => {
    const parsed = parseLine(['hooks', ...args])
    return parsed.ok ? null : parsed.failure.message
  }
  expect(failed('start')).toContain('not "start"')
  expect(failed('approve')).toContain('troupe hooks approve 1')
  expect(failed('refuse', '0')).toContain('troupe hooks refuse 1')
  expect(failed('test', 'Nope')).toContain('PreToolUse, PermissionRequest')
  expect(failed('test', 'Stop', '--input', '[1]')).toContain('JSON object')
  expect(failed('list', 'a')).toContain('takes none')
})

async function run({ folder, home, dataFolder }: CommandLine, ...args: readonly string[]) {
  const parsed = parseLine<HooksCommand & { readonly trust: boolean }>(['hooks', ...args])
  if (!parsed.ok) throw new Error(parsed.failure.message)
  const root = join(import.meta.dirname, '../../../..')
  const trusted = parsed.value.trust ? { trustedFolders: [folder] } : {}
  const program = await composeRuntime({
    dataFolder,
    home,
    environment: { PATH: process.env['PATH'], HOME: home },
    settings: { current: { ...defaultSettings, ...trusted } },
    agentsFolder: join(root, 'agents'),
    docsFolder: join(root, 'docs'),
    rehearsal: { pace: 0, scenarioFile: null },
  })
  const output: string[] = []
  const errors: string[] = []
  try {
    const code = await hooksCommand(parsed.value, {
      hooks: program.hooks,
      folder,
      trusted: program.policy.trusted(folder),
      output: { write: (text) => output.push(text) },
      errors: { write: (text) => errors.push(text) },
    })
    return { code, output: output.join(''), errors: errors.join('') }
  } finally {
    await program.close()
  }
}

test('troupe run says why a hook stopped the agent', async () => {
  const call = { type: 'tool_use', name: 'Bash', input: { command: 'ls' } } as const
  const troupe = await realTroupe({ reply: async () => ({ blocks: [call] }) })
  onTestFinished(() => troupe.close())
  const command = `echo '{"continue":false,"stopReason":"The budget is spent."}'`
  const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command }] }] }
  await mkdir(join(troupe.base, '.claude'))
  await writeFile(join(troupe.base, '.claude', 'settings.json'), JSON.stringify({ hooks }))
  const { code, errors } = await troupe.start(['run', 'Go']).ended
  expect(code).not.toBe(0)
  expect(errors).toContain('stopped this agent: The budget is spent.')
  expect(errors).toContain('To resume: troupe run')
})
