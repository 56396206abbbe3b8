/** `troupe plugins …` as a process: nothing of a plugin counts before its content was shown and enabled. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../testing/command-line.ts'

const AGENT = '---\nname: tidier\ndescription: Tidies files\n---\nTidy.\n'

async function withPlugin(): Promise<CommandLine> {
  const cli = await commandLine()
  await cli.write({
    'tidy/.claude-plugin/plugin.json': JSON.stringify({ name: 'tidy', description: 'Keeps order' }),
    'tidy/agents/tidier.md': AGENT,
    'tidy/hooks/hooks.json': JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'echo tidy' }] }] },
    }),
  })
  return cli
}

/** What `list` or `add` printed of the only plugin. */
async function plugin({ run }: CommandLine, ...args: readonly string[]) {
  const { code, output, errors } = await run(['plugins', ...args, '--json'])
  expect(code, errors).toBe(0)
  return JSON.parse(output) as { state: string; digest: string }
}

const hasAgent = async ({ run }: CommandLine): Promise<boolean> =>
  (await run(['agents', 'list'])).output.includes('tidier')

test('a plugin of a folder is shown with its parts, enabled by its digest, and off after a change', async () => {
  const cli = await withPlugin()
  const folder = join(cli.folder, 'tidy')
  const added = await cli.run(['plugins', 'add', folder])
  expect(added.code, added.errors).toBe(0)
  expect(added.output).toMatch(/^tidy: off\n {2}Keeps order\n/)
  expect(added.output).toMatch(/agent .*tidier/)
  expect(added.output).toContain('runs echo tidy')
  const digest = /plugins enable tidy (\S+)/.exec(added.output)?.[1] ?? ''
  expect(await cli.run(['plugins', 'enable', 'tidy', digest])).toMatchObject({ code: 0 })

  await writeFile(join(folder, 'agents', 'tidier.md'), `${AGENT}Delete the rest.\n`)
  const changed = await plugin(cli, 'list')
  expect(changed.state).toBe('changed')
  expect(changed.digest).not.toBe(digest)
  expect(await cli.run(['plugins', 'remove', 'tidy'])).toMatchObject({ code: 0, errors: '' })
  // It is the user's own folder.
  expect(await readdir(folder)).toContain('agents')
})

test('a plugin of a git repository is copied, and disabled again', async () => {
  const cli = await withPlugin()
  const source = join(cli.folder, 'tidy')
  cli.git('-C', source, 'init', '-q', '-b', 'main')
  cli.git('-C', source, 'add', '-A')
  cli.git('-C', source, 'commit', '-q', '-m', 'Tidy')
  const bare = join(cli.folder, 'tidy.git')
  cli.git('clone', '-q', '--bare', source, bare)
  const added = await plugin(cli, 'add', `file://${bare}`)
  expect(added).toMatchObject({ name: 'tidy', state: 'disabled', source: { url: `file://${bare}` } })
  expect(await cli.run(['plugins', 'enable', 'tidy', added.digest])).toMatchObject({ code: 0 })
  expect(await hasAgent(cli)).toBe(true)
  expect(await cli.run(['plugins', 'disable', 'tidy'])).toMatchObject({ code: 0 })
  expect(await hasAgent(cli)).toBe(false)
})

test('the hooks of a plugin run once its content was approved, not where it is only named in the settings', async () => {
  const cli = await withPlugin()
  const folder = join(cli.folder, 'tidy')
  const trace = join(cli.folder, 'trace')
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: 'command', command: `echo ran >> ${trace}` }] }] }
  await cli.write({ 'tidy/hooks/hooks.json': JSON.stringify({ hooks }) })
  const settings = join(cli.dataFolder, 'settings.json')
  const written = JSON.parse(await readFile(settings, 'utf8'))
  await writeFile(settings, JSON.stringify({ ...written, plugins: [{ path: folder, enabled: true }] }))
  const scenario = await cli.scenario('steps:\n  - reply: Hello.\n')
  const says = () => cli.run(['run', 'Hi', '--scenario', scenario])
  expect(await says()).toMatchObject({ code: 0 })
  expect((await readdir(cli.folder)).includes('trace')).toBe(false)
  const shown = await plugin(cli, 'list')
  expect(shown.state).toBe('unapproved')
  expect(await cli.run(['plugins', 'enable', 'tidy', shown.digest])).toMatchObject({ code: 0 })
  expect(await says()).toMatchObject({ code: 0 })
  expect(await readFile(trace, 'utf8')).toBe('ran\n')
})
