import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ElectronApplication, _electron as electron, expect, test } from '@playwright/test'

let folder: string
let app: ElectronApplication

test.beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-smoke-'))
  app = await electron.launch({
    args: ['.', `--user-data-dir=${folder}`, '--disable-gpu'],
    cwd: join(import.meta.dirname, '..'),
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...process.env, TROUPE_HOME: join(folder, 'home') },
  })
})

test.afterEach(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

test('the window opens and shows content', async () => {
  const window = await app.firstWindow()
  const errors: string[] = []
  window.on('pageerror', (error) => errors.push(error.message))
  await expect(window).toHaveTitle(/Troupe/)
  await expect(window.locator('#root')).not.toBeEmpty()
  expect(errors).toEqual([])
})

test('the page has no access to Node', async () => {
  const window = await app.firstWindow()
  await window.waitForLoadState()
  expect(await window.evaluate(() => typeof Reflect.get(globalThis, 'require'))).toBe('undefined')
  expect(await window.evaluate(() => typeof Reflect.get(globalThis, 'process'))).toBe('undefined')
  expect(await window.evaluate(() => typeof Reflect.get(globalThis, 'troupe'))).toBe('object')
})
