import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { broughtNode, createNodeRuntimes } from './node-runtime.ts'

/** Says that it is this version of Node. */
async function fakeNode(file: string, version: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `#!/bin/sh\necho v${version}\n`)
  await chmod(file, 0o755)
  return file
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'troupe-node-'))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

test.skipIf(process.platform === 'win32')(
  'where Node is too old, the one that came with the program is used',
  async () => {
    const base = await folder()
    await fakeNode(join(base, 'bin', 'node'), '20.19.0')
    const brought = await fakeNode(join(base, 'brought', 'node'), '24.1.0')
    const own = { command: '/usr/bin/node', version: '20.18.0', isElectron: false }
    const path = join(base, 'bin')
    expect(await createNodeRuntimes({ path, own }).fit(22)).toBeNull()
    const nodes = createNodeRuntimes({ path, own, brought })
    expect(await nodes.fit(22)).toMatchObject({ command: brought, version: '24.1.0', env: {} })
    expect(await nodes.fit(20)).toMatchObject({ version: '20.18.0' })
    expect(await nodes.fit(26)).toBeNull()
    expect(await createNodeRuntimes({ path, own, brought: join(base, 'missing') }).fit(22)).toBeNull()
  },
)

test('it is found among the packages of the program, where they are', async () => {
  const base = await folder()
  expect(broughtNode(base)).toBeNull()
  const root = join(import.meta.dirname, '../../../../..')
  const found = broughtNode(root)
  if (found === null) return
  expect(found.startsWith(join(root, 'node_modules'))).toBe(true)
})
