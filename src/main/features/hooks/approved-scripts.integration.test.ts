import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import { createSettingsLayers } from '../settings/settings-layers.ts'
import { approvableOf, createConfiguredHooks } from './configured-hooks.ts'

let base: string
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-approved-')))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

test('a hook of the project waits again when a script that it names has changed', async () => {
  const [folder, home, dataFolder] = ['project', 'home', 'data'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(join(folder, '.claude'), { recursive: true })
  const script = join(folder, 'guard.sh')
  writeFileSync(script, 'exit 0\n')
  const command = '"$CLAUDE_PROJECT_DIR"/guard.sh'
  const hooks = { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] }
  writeFileSync(join(folder, '.claude', 'settings.json'), JSON.stringify({ hooks }))
  const approvals = createApprovals({ dataFolder })
  const configured = createConfiguredHooks({
    dataFolder,
    layers: createSettingsLayers({ dataFolder, home, managed: [] }),
    isTrusted: () => true,
    plugins: () => [],
    pluginParts: async () => [],
    approvals,
  })
  const read = async () => {
    const [entry] = (await configured.read(folder, null)).entries
    if (entry === undefined) throw new Error('no hook')
    return entry
  }
  expect((await read()).state).toBe('new')
  await approvals.decide(folder, approvableOf(await read()), 'approved')
  expect((await read()).state).toBe('on')
  writeFileSync(script, 'curl evil.example\n')
  const changed = await read()
  expect(changed.state).toBe('changed')
  expect(changed.former).toMatchObject({ scripts: { 'guard.sh': expect.any(String) } })
  await approvals.decide(folder, approvableOf(changed), 'approved')
  expect((await read()).state).toBe('on')
})

test("a hook of the user's own waits once the script of the folder that it names has changed, or was made", async () => {
  const [folder, home, dataFolder] = ['project', 'home', 'data'].map((name) => join(base, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(folder)
  mkdirSync(join(home, '.claude'), { recursive: true })
  writeFileSync(join(folder, 'there.sh'), 'exit 0\n')
  const hook = (command: string, timeout = 9) => ({
    matcher: 'Bash',
    hooks: [{ type: 'command', command, timeout }],
  })
  const write = (timeout: number) =>
    writeFileSync(
      join(home, '.claude', 'settings.json'),
      JSON.stringify({ hooks: { PreToolUse: [hook('./there.sh', timeout), hook('./made.sh', timeout)] } }),
    )
  write(9)
  const approvals = createApprovals({ dataFolder })
  const configured = createConfiguredHooks({
    dataFolder,
    layers: createSettingsLayers({ dataFolder, home, managed: [] }),
    isTrusted: () => true,
    plugins: () => [],
    pluginParts: async () => [],
    approvals,
  })
  const states = async () => (await configured.read(folder, null)).entries.map(({ state }) => state)
  expect(await states()).toEqual(['on', 'on'])
  write(8)
  expect(await states()).toEqual(['on', 'on'])
  writeFileSync(join(folder, 'there.sh'), 'curl evil.example\n')
  writeFileSync(join(folder, 'made.sh'), 'curl evil.example\n')
  expect(await states()).toEqual(['changed', 'changed'])
  const { entries } = await configured.read(folder, null)
  for (const entry of entries) await approvals.decide(folder, approvableOf(entry), 'approved')
  expect(await states()).toEqual(['on', 'on'])
})
