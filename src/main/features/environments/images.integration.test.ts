/** Worktrees whose commands have the files of an image, in the real sandbox. */
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EnvironmentBench, environmentBench } from './testing/environment-bench.ts'
import { type FakeEngine, fakeEngine } from './testing/fake-engine.ts'

let bench: EnvironmentBench
let engine: FakeEngine
let base: string
const path = process.env['PATH']

beforeEach(async () => {
  base = await realpath(await mkdtemp('/var/tmp/troupe-images-'))
  engine = await fakeEngine(base, 'tools:1')
  process.env['PATH'] = `${engine.bin}:${path}`
})

afterEach(async () => {
  await bench.close()
  process.env['PATH'] = path
  await rm(base, { recursive: true, force: true, maxRetries: 5 })
})

const open = async (yaml: string, more: Readonly<Record<string, string>> = {}) => {
  bench = await environmentBench({ '.troupe/environment.yaml': yaml, ...more })
}
/** An agent that waits for the set-up, in a worktree that is kept: it has a new file. */
const agentIn = async (task: string, ...commands: readonly string[]) => {
  const started = await bench.agent(task, ...commands)
  await writeFile(join((await bench.row()).path, 'kept.txt'), '')
  return started
}
const imagesIn = () => readdir(join(bench.base, 'data/images')).catch(() => [])

/** Reads and writes what it should not, and the home of its own. */
const TRIES = [
  "const fs = require('fs'), home = process.env.HOME, say = console.log;",
  "for (const path of ['/usr/bin/x', '/opt/x', '/x']) try { fs.writeFileSync(path, ''); say('wrote ' + path) } catch (e) { say(e.code) }",
  "try { say(fs.readFileSync(home + '/secret', 'utf8')) } catch (e) { say(e.code) }",
  "fs.writeFileSync(home + '/own', ''); say(fs.readdirSync(home).join(), fs.readdirSync('/usr/bin').length)",
].join(' ')

test('commands of the set-up and of the agent have the files of the image, and change only the worktree', async () => {
  await open('image: tools:1\nsetup: only-here > made\n')
  await bench.approve()
  await writeFile(join(bench.base, 'home/secret'), 'mine')
  const commands = ['only-here; echo $OF_IMAGE; id -un', `echo work > work.txt; node -e "${TRIES}"`]
  const { done } = await bench.agent('Look', ...commands)
  await done
  const row = await bench.row()
  expect(row.state.setup).toMatchObject({ kind: 'ready' })
  expect(await readFile(join(row.path, 'made'), 'utf8')).toBe('only in the image\n')
  expect((await stat(join(row.path, 'work.txt'))).uid).toBe(process.getuid?.())
  const told = bench.told()
  expect(told).toContain('Your worktree is set up: `image tools:1`, `only-here > made` ended well.')
  expect(told).toContain('Your commands run with the files of the image tools:1')
  expect(told).toContain(`only in the image\\nyes\\n${userInfo().username}`)
  expect(told).toContain('EROFS\\nEROFS\\nEROFS\\nENOENT\\nown')
  expect(told).not.toContain('mine')
  expect(existsSync(join(engine.root, 'opt/x'))).toBe(false)
  expect(await bench.logText('setup')).toContain('Pulled tools:1')
})

test('a second worktree takes the files that are there, and no container is left', async () => {
  await open('image: tools:1\n')
  await bench.approve()
  await (await bench.agent('First', 'echo a > a.txt')).done
  await (await bench.agent('Second', 'echo b > b.txt')).done
  const calls = await engine.calls()
  expect(calls.filter((call) => call.startsWith('export'))).toHaveLength(1)
  expect(calls.filter((call) => call.startsWith('rm --force'))).toHaveLength(1)
  expect(await imagesIn()).toEqual(['0123456789abcdef0123456789abcdef'])
  expect((await bench.rows()).every(({ state }) => state.setup.kind === 'ready')).toBe(true)
})

test('a server in the image is reached at the port of its worktree', async () => {
  const server = `node -e "require('http').createServer((q, a) => a.end(process.env.OF_IMAGE)).listen(process.env.TROUPE_PORT)"`
  await open(`image: tools:1\nrun: ${JSON.stringify(server)}\n`)
  await bench.approve()
  await (await bench.agent('Serve', 'echo a > a.txt')).done
  const { id, ports } = await bench.row()
  await bench.program().environments.run({ folder: bench.folder, id, name: null })
  await bench.until(({ runs }) => runs['run']?.kind === 'running' && runs['run'].isUp)
  expect(await (await fetch(`http://127.0.0.1:${ports[0]?.port}`)).text()).toBe('yes')
})

test('without an engine the set-up fails with a sentence, and skipping it leaves the files of this machine', async () => {
  await rm(join(engine.bin, 'podman'))
  for (const name of await readdir('/usr/bin'))
    if (!/^(podman|docker)$/.test(name)) await symlink(join('/usr/bin', name), join(engine.bin, name))
  process.env['PATH'] = `${engine.bin}:${join(process.execPath, '..')}`
  await open('image: tools:1\n')
  await bench.approve()
  const { done } = await agentIn('None', 'echo work > work.txt')
  await done
  const { id, path: worktree, state } = await bench.row()
  expect(state.setup).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('needs Podman or Docker, and neither is installed'),
  })
  expect(existsSync(join(worktree, 'work.txt'))).toBe(false)
  expect(bench.told()).toContain('The image that commands run in here is not ready')
  await bench.program().environments.skip({ folder: bench.folder, id })
  expect(await bench.program().environments.imageOf(worktree)).toEqual({ ok: true, value: null })
})

test('an image that is not there, and one without bash, are named', async () => {
  await open('image: other:2\n')
  await bench.approve()
  await (await agentIn('Gone', 'true')).done
  expect((await bench.row()).state.setup).toMatchObject({
    error: 'podman pull failed: Error: other:2: manifest unknown',
  })
  await writeFile(join(bench.folder, '.troupe/environment.yaml'), 'image: tools:1\n')
  await rm(join(engine.root, 'usr/bin/bash'))
  await bench.approve()
  const { id } = await bench.row()
  await bench.program().environments.setUp({ folder: bench.folder, id })
  const state = await bench.until(({ setup }) => setup.kind === 'failed' && /no bash/.test(setup.error))
  expect(state.image).toEqual({ id: null })
  expect(await imagesIn()).toEqual([])
})

test('a Dockerfile is approved with its content, and what it makes is used', async () => {
  await open('image: { build: docker/Dockerfile, args: { V: 2 } }\n', { 'docker/Dockerfile': 'FROM tools\n' })
  await bench.approve()
  await (await bench.agent('Build', 'only-here > made.txt')).done
  const { path: worktree } = await bench.row()
  expect(await readFile(join(worktree, 'made.txt'), 'utf8')).toBe('only in the image\n')
  expect(await bench.logText('setup')).toContain('STEP 1: FROM tools')
  expect((await engine.calls()).find((call) => call.startsWith('build'))).toMatch(
    /^build --tag troupe-\w+ --file docker\/Dockerfile --build-arg V=2 \.$/,
  )
  await writeFile(join(bench.folder, 'docker/Dockerfile'), 'FROM tools\nRUN curl evil\n')
  expect((await bench.program().environments.state(bench.folder)).commands?.approval.state).toBe('changed')
})

test('what a program that ended in the middle has left counts for nothing, and is removed', async () => {
  await open('image: tools:1\n')
  await bench.approve()
  await writeFile(join(base, 'engine/slow'), '')
  await agentIn('Slow', 'echo a > a.txt')
  await bench.until(({ setup }) => setup.kind === 'running')
  while (!(await engine.calls()).some((call) => call.startsWith('export')))
    await new Promise((resolve) => setImmediate(resolve))
  await bench.restart()
  await rm(join(base, 'engine/slow'))
  await writeFile(join(base, 'engine/containers'), 'lost\n')
  expect((await bench.row()).state.setup.kind).toBe('failed')
  const { id, path: worktree } = await bench.row()
  await bench.program().environments.setUp({ folder: bench.folder, id })
  await bench.until(({ setup }) => setup.kind === 'ready')
  expect(await readFile(join(base, 'engine/containers'), 'utf8')).toBe('')
  expect(await imagesIn()).toEqual(['0123456789abcdef0123456789abcdef'])
  expect(await bench.program().environments.imageOf(worktree)).toMatchObject({ ok: true, value: {} })
})
