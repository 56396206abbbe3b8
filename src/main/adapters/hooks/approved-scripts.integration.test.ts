import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApprovals } from '../approvals/approvals.ts'
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
