/** `troupe update` with a server on loopback. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { updateCommand } from './update.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const KEY = publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
const NPM = 'lib/node_modules/troupe'

let files: Record<string, Buffer>
let dataFolder: string
let url: string
let close: () => void

beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'troupe-update-'))
  const server = createServer(({ url: path = '' }, answer) => {
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

async function update(
  options: {
    check?: boolean
    json?: boolean
    version?: string
    at?: string
    key?: string
    from?: string
  } = {},
) {
  const { check = false, json = false, version = '1.2.0', at = NPM, key = KEY, from = url } = options
  const lines: string[] = []
  const to = { write: (text: string) => lines.push(text) }
  const code = await updateCommand(
    { check, json },
    { output: to, errors: to, dataFolder, programFolder: at, source: { url: from, key }, version },
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
