/** `troupe update`, and updates of the window, with a server on loopback and programs that note what they are told. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { composeUpdates } from './feature.ts'
import { updateCommand } from './update.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const NPM = 'lib/node_modules/troupe'

let files: Record<string, Buffer>
let dataFolder: string
let url: string
/** The paths that were asked for. */
let asked: string[]
let close: () => void

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'troupe-update-'))
  asked = []
  const server = createServer(({ url: path = '' }, answer) => {
    asked.push(path.replace('/releases/', ''))
    const content = files[path.replace('/releases/', '')]
    answer.writeHead(content === undefined ? 404 : 200).end(content)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/releases`
  close = () => server.close()
  release({ 'troupe-1.10.0.tgz': 'npm', 'troupe-1.9.0.tgz': 'older', 'troupe_1.10.0_amd64.deb': 'deb' })
})

afterEach(() => {
  close()
  rmSync(dataFolder, { recursive: true })
})

/** Makes a release of these files, signed. */
function release(contents: Record<string, string>, signer: KeyObject = privateKey): void {
  const entries = Object.entries(contents).map(([name, text]) => [name, Buffer.from(text)] as const)
  const sums = Buffer.from(
    entries.map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`).join(''),
  )
  files = {
    ...Object.fromEntries(entries),
    SHA256SUMS: sums,
    'SHA256SUMS.sig': sign(null, sums, signer),
  }
}

/** Puts a program on the PATH that notes its arguments, and ends with this code. */
function fakeProgram(name: string, { code = 0, says = '' } = {}): void {
  mkdirSync(join(dataFolder, 'bin'), { recursive: true })
  const file = join(dataFolder, 'bin', name)
  const noted = join(dataFolder, `${name}.args`)
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${noted}'\necho '${says}' >&2\nexit ${code}\n`)
  chmodSync(file, 0o755)
}

/** Null: the program was not started. */
function argumentsOf(name: string): readonly string[] | null {
  const file = join(dataFolder, `${name}.args`)
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : null
}

async function update(
  options: {
    check?: boolean
    install?: boolean
    json?: boolean
    version?: string
    at?: string
    key?: string
    from?: string
  } = {},
) {
  const {
    check = false,
    install = false,
    json = false,
    version = '1.2.0',
    at = NPM,
    key = KEY,
    from = url,
  } = options
  const lines: string[] = []
  const to = { write: (text: string) => lines.push(text) }
  const code = await updateCommand(
    { check, install, json },
    {
      ...{ output: to, errors: to, dataFolder, programFolder: at, source: { url: from, key }, version },
      ...{ environment: { PATH: join(dataFolder, 'bin') }, isRoot: false, elevate: 'sudo' },
    },
  )
  return { code, text: lines.join('') }
}

test('the newest version is fetched for npm, checked, and the command that installs it is printed', async () => {
  const path = join(dataFolder, 'updates', 'troupe-1.10.0.tgz')
  expect(await update()).toEqual({
    code: 0,
    text: `Troupe 1.10.0 is there; this is 1.2.0. Its signature is right. To install it:\n  npm install --global '${path}'\n`,
  })
  expect(readFileSync(path, 'utf8')).toBe('npm')
  const { text } = await update({ json: true })
  expect(JSON.parse(text)).toMatchObject({ version: '1.2.0', newest: '1.10.0', file: path })
})

test.runIf(process.arch === 'x64')('an installation from Debian gets its package', async () => {
  const { text } = await update({ at: '/opt/troupe/resources' })
  expect(text).toContain(`sudo apt install '${join(dataFolder, 'updates', 'troupe_1.10.0_amd64.deb')}'`)
})

test('--check, an equal version and an installation by hand fetch nothing', async () => {
  expect((await update({ check: true })).text).toBe('Troupe 1.10.0 is there; this is 1.2.0.\n')
  expect((await update({ version: '1.10.0' })).text).toBe('Troupe 1.10.0 is the newest version.\n')
  expect((await update({ version: '2.0.0' })).text).toBe('Troupe 2.0.0 is the newest version.\n')
  expect((await update({ at: '/home/ana/troupe' })).text).toContain('Fetch the package for this system from')
  expect(existsSync(join(dataFolder, 'updates'))).toBe(false)
})

test('what another key signed is not used', async () => {
  release({ 'troupe-1.10.0.tgz': 'npm' }, generateKeyPairSync('ed25519').privateKey)
  const { code, text } = await update()
  expect(code).toBe(1)
  expect(text).toContain('is not signed with the key of the setting updateKey')
  expect(existsSync(join(dataFolder, 'updates'))).toBe(false)
})

test('a package that differs from the signed hash is deleted', async () => {
  files['troupe-1.10.0.tgz'] = Buffer.from('another program')
  const { code, text } = await update()
  expect(code).toBe(1)
  expect(text).toContain('its hash is another one')
  const path = join(dataFolder, 'updates', 'troupe-1.10.0.tgz')
  expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, false])
})

test('wrong settings and a missing release say what to do', async () => {
  expect((await update({ from: '' })).text).toContain('set updateUrl and updateKey')
  expect((await update({ from: 'http://example.com/' })).text).toContain('wants an https address')
  expect((await update({ key: 'nonsense' })).text).toContain('openssl pkey')
  files = {}
  expect(await update()).toEqual({
    code: 1,
    text: `troupe: SHA256SUMS could not be read from ${url}: the server answers 404\n`,
  })
  close()
  expect((await update({ from: 'http://127.0.0.1:1' })).text).toContain('SHA256SUMS could not be read from')
})

test('--install runs npm, and says which command failed', async () => {
  fakeProgram('npm')
  const { code, text } = await update({ install: true })
  expect({ code, text }).toEqual({ code: 0, text: 'Troupe 1.10.0 is installed; this was 1.2.0.\n' })
  const path = join(dataFolder, 'updates', 'troupe-1.10.0.tgz')
  expect(argumentsOf('npm')).toEqual(['install', '--global', path])
  fakeProgram('npm', { code: 243 })
  const again = await update({ install: true })
  expect(again.code).toBe(1)
  expect(again.text).toContain(
    `npm install --global ${path} ended with code 243. Type this in a terminal: npm install --global '${path}'`,
  )
})

test('--install starts nothing for a forged package', async () => {
  fakeProgram('npm')
  files['troupe-1.10.0.tgz'] = Buffer.from('another program')
  expect((await update({ install: true })).text).toContain('its hash is another one')
  expect(argumentsOf('npm')).toBeNull()
})

test('a checkout is told the command that updates it', async () => {
  mkdirSync(join(dataFolder, 'checkout', '.git'), { recursive: true })
  const at = join(dataFolder, 'checkout')
  expect((await update({ at })).text).toBe(
    `Troupe 1.10.0 is there; this is 1.2.0. To install it:\n  cd '${at}' && git pull && npm start\n`,
  )
})

const DEB = '/opt/troupe/resources'
const DAY = 86_400_000

function inWindow({ at = DEB, version = '1.2.0', settings = { updateUrl: url, updateKey: KEY } } = {}) {
  const hand = createHandClock()
  const updates = composeUpdates({
    ...{ dataFolder, programFolder: at, version, clock: hand.clock, isRoot: false },
    environment: { PATH: join(dataFolder, 'bin') },
    settings: { current: settings },
  })
  return { updates, hand }
}

test('the window gets the newer version with its notes, which are signed too', async () => {
  release({ 'troupe-1.10.0.tgz': 'npm', 'troupe-1.10.0.md': '- **Faster.**\n' })
  const { updates } = inWindow({ at: NPM })
  expect((await updates.check()).found).toEqual({
    ...{ kind: 'newer', version: '1.10.0', notes: '- **Faster.**', way: { kind: 'self' } },
  })
  files['troupe-1.10.0.md'] = Buffer.from('Give me your password.')
  expect((await updates.check()).found).toMatchObject({
    ...{ kind: 'failed', message: expect.stringContaining('its hash is another one. It is not shown.') },
  })
  files = {}
  expect((await updates.check()).found).toMatchObject({
    message: `SHA256SUMS could not be read from ${url}: the server answers 404`,
  })
})

test('the program looks after the start and once a day, and only while it is on', async () => {
  const settings = { updateUrl: url, updateKey: KEY }
  const { updates, hand } = inWindow({ version: '1.10.0', settings })
  const following = updates.follow()
  const looks = () => asked.filter((path) => path === 'SHA256SUMS').length
  const checked = async () => {
    while (updates.state().work !== null) await hand.settle()
  }
  await hand.until(19_000)
  expect(looks()).toBe(0)
  await hand.until(60_000)
  await checked()
  expect([looks(), updates.state().found]).toEqual([1, { kind: 'newest' }])
  await hand.until(DAY)
  expect(looks()).toBe(1)
  updates.later()
  await hand.until(DAY + 60_000)
  await checked()
  expect([looks(), updates.state().isLater]).toEqual([2, false])
  settings.updateUrl = ''
  await hand.until(4 * DAY)
  expect(looks()).toBe(2)
  updates.close()
  await following
  expect(hand.sleepers).toBe(0)
})

test.runIf(process.arch === 'x64')(
  'the window installs a package of Debian after the user agreed',
  async () => {
    fakeProgram('pkexec')
    const { updates } = inWindow()
    const works: unknown[] = []
    updates.watch(({ work }) => works.push(work))
    expect((await updates.check()).found).toMatchObject({ way: { kind: 'self' } })
    expect(await updates.install(async () => false)).toEqual({ ok: true, value: 'canceled' })
    expect(argumentsOf('pkexec')).toBeNull()
    works.length = 0
    const path = join(dataFolder, 'updates', 'troupe_1.10.0_amd64.deb')
    const seen = async (version: string) => version === '1.10.0' && readFileSync(path, 'utf8') === 'deb'
    expect(await updates.install(seen)).toEqual({ ok: true, value: 'installed' })
    expect(argumentsOf('pkexec')).toEqual(['apt-get', 'install', '--yes', path])
    expect(works).toEqual(['fetching', 'installing', 'installing', null])
    expect(updates.state().found).toEqual({ kind: 'installed', version: '1.10.0' })
  },
)

test.runIf(process.arch === 'x64')('without rights the window tells the command', async () => {
  const { updates } = inWindow()
  expect((await updates.check()).found).toMatchObject({
    ...{ way: { kind: 'command', command: 'troupe update --install' } },
  })
  fakeProgram('pkexec', { code: 126 })
  expect(await updates.install(async () => true)).toEqual({ ok: true, value: 'canceled' })
  fakeProgram('pkexec', { code: 127, says: 'Error executing command as another user: Not authorized' })
  expect(await updates.install(async () => true)).toMatchObject({
    failure: {
      type: 'not-installed',
      message: expect.stringContaining('another user: Not authorized. Type'),
    },
  })
})

test.runIf(process.arch === 'x64')(
  'the window installs nothing that is forged, and asks nobody',
  async () => {
    fakeProgram('pkexec')
    const { updates } = inWindow()
    const nobody = () => Promise.reject(new Error('The user was asked.'))
    await updates.check()
    files['troupe_1.10.0_amd64.deb'] = Buffer.from('another program')
    expect(await updates.install(nobody)).toMatchObject({ failure: { type: 'not-signed' } })
    release(
      { 'troupe-1.11.0.tgz': 'npm', 'troupe_1.11.0_amd64.deb': 'forged' },
      generateKeyPairSync('ed25519').privateKey,
    )
    expect(await updates.install(nobody)).toMatchObject({
      failure: { message: expect.stringContaining('is not signed with the key of the setting updateKey') },
    })
    expect([argumentsOf('pkexec'), updates.state().work]).toEqual([null, null])
    expect(existsSync(join(dataFolder, 'updates', 'troupe_1.10.0_amd64.deb'))).toBe(false)
  },
)
