/** Electron's security checklist, tested on the running program from inside its page. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ElectronApplication, _electron as electron, expect, type Page, test } from '@playwright/test'
import type { TroupeBridge } from '../src/shared/ipc/ipc-contract.ts'
import type { WindowDelta } from '../src/shared/ipc/window-delta.ts'
import { inMain } from './testing/in-main.ts'

const checkout = join(import.meta.dirname, '..')
const SECRET = 'sk-ant-a-secret-of-the-environment'

let folder: string
let app: ElectronApplication
let page: Page
/** A server that must not be reached, and the requests it received. */
let outside: Server
let address: string
const asked: string[] = []

const launch = (environment: NodeJS.ProcessEnv = {}): Promise<ElectronApplication> =>
  electron.launch({
    args: ['.', `--user-data-dir=${join(folder, 'chromium')}`, '--disable-gpu'],
    cwd: checkout,
    chromiumSandbox: process.getuid?.() !== 0,
    env: { ...withoutKeys(), TROUPE_HOME: join(folder, 'home'), ...environment } as Record<string, string>,
  })

function withoutKeys(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(ANTHROPIC|TROUPE)_/.test(name)),
  )
}

/** `window.troupe` in the page. */
type Exposed = { readonly troupe: TroupeBridge }

test.beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'troupe-security-')))
  asked.length = 0
  outside = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('access-control-allow-origin', '*').end('<h1>outside</h1>')
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`
  app = await launch()
  page = await app.firstWindow()
  await page.waitForLoadState()
})

test.afterEach(async () => {
  await app.close()
  outside.closeAllConnections()
  await new Promise((resolve) => outside.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

const settled = (): Promise<void> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  )

test('the page is sandboxed, isolated and has no Node', async () => {
  const preferences = await inMain(app, ({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents as unknown as {
      getLastWebPreferences(): Record<string, unknown>
    }
    return contents.getLastWebPreferences()
  })
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    webviewTag: false,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
  })
  const found = await page.evaluate(() =>
    ['require', 'process', 'module', 'Buffer', 'global', 'electron', 'ipcRenderer'].filter(
      (name) => Reflect.get(globalThis, name) !== undefined,
    ),
  )
  expect(found).toEqual([])
})

test('the page gets exactly the contract’s three functions, frozen', async () => {
  const exposed = await page.evaluate(() => {
    const { troupe } = window as unknown as Exposed
    const before = troupe.command
    try {
      Reflect.set(troupe, 'command', () => 'mine')
    } catch {
      // Frozen: as it should be.
    }
    return { names: Object.keys(troupe).sort(), same: troupe.command === before }
  })
  expect(exposed).toEqual({ names: ['command', 'onDeltas', 'pathOf'], same: true })
})

test('the page is served from app: with a policy that allows no other origin', async () => {
  expect(page.url()).toBe('app://troupe/index.html')
  const headers = await page.evaluate(async () => Object.fromEntries((await fetch(location.href)).headers))
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self';")
  expect(headers['content-security-policy']).not.toContain('unsafe-eval')
  expect(headers['x-content-type-options']).toBe('nosniff')
})

test('inline code, eval and other servers are blocked', async () => {
  const outcome = await page.evaluate(async (elsewhere) => {
    const results: Record<string, unknown> = {}
    const script = document.createElement('script')
    script.textContent = 'window.inlineRan = true'
    document.body.append(script)
    document.body.insertAdjacentHTML('beforeend', '<img src="x" onerror="window.handlerRan = true">')
    const remote = document.createElement('script')
    remote.src = `${elsewhere}/script.js`
    document.body.append(remote)
    const image = document.createElement('img')
    image.src = `${elsewhere}/image.png`
    document.body.append(image)
    const frame = document.createElement('iframe')
    frame.src = `${elsewhere}/frame`
    document.body.append(frame)
    const form = document.createElement('form')
    form.action = `${elsewhere}/form`
    document.body.append(form)
    form.submit()
    results['fetch'] = await fetch(`${elsewhere}/fetch`).then(
      () => 'allowed',
      () => 'refused',
    )
    results['beacon'] = navigator.sendBeacon(`${elsewhere}/beacon`) && 'sent'
    const socket = new WebSocket(elsewhere.replace('http', 'ws'))
    results['socket'] = await new Promise((resolve) => {
      socket.onopen = () => resolve('allowed')
      socket.onerror = () => resolve('refused')
    })
    try {
      new Function('window.functionRan = true')()
      results['function'] = 'allowed'
    } catch {
      results['function'] = 'refused'
    }
    await new Promise((resolve) => setTimeout(resolve, 300))
    results['ran'] = ['inlineRan', 'handlerRan', 'functionRan'].filter((name) => Reflect.get(window, name))
    return results
  }, address)
  expect(outcome).toMatchObject({ fetch: 'refused', socket: 'refused', function: 'refused', ran: [] })
  expect(asked).toEqual([])
})

test('app: serves only the window’s files', async () => {
  const statuses = await page.evaluate(async () => {
    const paths = [
      '/index.html',
      '/../main/index.js',
      '/%2e%2e/main/index.js',
      '/..%2fmain%2findex.js',
      '/assets/..%2f..%2f..%2fpackage.json',
      '/..%5cmain%5cindex.js',
      '//etc/passwd',
      '/%2fetc%2fpasswd',
    ]
    const results: Record<string, number | string> = {}
    for (const path of paths)
      results[path] = await fetch(`app://troupe${path}`).then(
        ({ status }) => status,
        () => 'refused',
      )
    results['other host'] = await fetch('app://other/index.html').then(
      ({ status }) => status,
      () => 'refused',
    )
    results['file'] = await fetch('file:///etc/hostname').then(
      ({ status }) => status,
      () => 'refused',
    )
    return results
  })
  const { '/index.html': own, ...others } = statuses
  expect(own).toBe(200)
  expect(Object.entries(others).filter(([, status]) => status !== 404 && status !== 'refused')).toEqual([])
})

test('the page cannot navigate, open a window or create a web view', async () => {
  const away = [
    'https://example.invalid/',
    `${address}/away`,
    'file:///etc/hostname',
    'app://other/',
    'app://troupe/x.html',
  ]
  for (const target of away) {
    await page.evaluate((url) => {
      location.href = url
    }, target)
    await settled()
    expect(page.url()).toBe('app://troupe/index.html')
  }
  // The browser does not ask before these navigations, so the page is restored.
  for (const target of ['about:blank', 'about:srcdoc']) {
    const back = page.waitForEvent('framenavigated', (frame) => frame.url() === 'app://troupe/index.html')
    await page
      .evaluate((url) => {
        location.href = url
      }, target)
      .catch(() => {})
    await back
    await page.waitForLoadState()
    expect(await page.evaluate(() => typeof Reflect.get(window, 'troupe'))).toBe('object')
  }
  const opened = await page.evaluate((elsewhere) => {
    const link = document.createElement('a')
    link.href = `${elsewhere}/link`
    link.target = '_blank'
    document.body.append(link)
    link.click()
    const view = document.createElement('webview')
    view.setAttribute('src', `${elsewhere}/view`)
    document.body.append(view)
    return window.open(`${elsewhere}/open`) === null
  }, address)
  expect(opened).toBe(true)
  await settled()
  expect(await inMain(app, ({ webContents }) => webContents.getAllWebContents().length)).toBe(1)
  expect(asked).toEqual([])
})

test('browser permissions are denied', async () => {
  const outcome = await page.evaluate(async () => {
    const state = async (name: string) =>
      (await navigator.permissions.query({ name: name as PermissionName })).state
    const refused = (work: Promise<unknown>) =>
      work.then(
        () => 'given',
        () => 'refused',
      )
    return {
      notifications: await Notification.requestPermission(),
      camera: await refused(navigator.mediaDevices.getUserMedia({ video: true })),
      screen: await refused(navigator.mediaDevices.getDisplayMedia({ video: true })),
      clipboard: await refused(navigator.clipboard.readText()),
      place: await refused(
        new Promise((done, failed) => navigator.geolocation.getCurrentPosition(done, failed)),
      ),
      asked: await Promise.all(['geolocation', 'camera', 'microphone', 'midi'].map(state)),
    }
  })
  expect(outcome).toEqual({
    notifications: 'denied',
    camera: 'refused',
    screen: 'refused',
    clipboard: 'refused',
    place: 'refused',
    asked: ['denied', 'denied', 'denied', 'denied'],
  })
})

test('a frame in the page has no bridge, and its commands are refused', async () => {
  const inFrame = await page.evaluate(() => {
    const frame = document.createElement('iframe')
    document.body.append(frame)
    return typeof Reflect.get(frame.contentWindow ?? {}, 'troupe')
  })
  expect(inFrame).toBe('undefined')
  const replies = await inMain(app, async ({ BrowserWindow, ipcMain }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    if (!contents) return null
    const handlers = Reflect.get(ipcMain, '_invokeHandlers') as Map<
      string,
      (event: object, ...args: unknown[]) => Promise<{ answer: { ok: boolean; failure?: { type: string } } }>
    >
    const handler = handlers.get('troupe:command')
    const [frame] = contents.mainFrame.frames
    const ask = async (event: object) => (await handler?.(event, 'conversation.list', {}))?.answer
    return {
      page: await ask({ sender: contents, senderFrame: contents.mainFrame }),
      frame: await ask({ sender: contents, senderFrame: frame }),
      gone: await ask({ sender: contents, senderFrame: null }),
    }
  })
  expect(replies).toMatchObject({
    page: { ok: true },
    frame: { ok: false, failure: { type: 'refused' } },
    gone: { ok: false, failure: { type: 'refused' } },
  })
})

test('another window cannot send commands, even with the same preload', async () => {
  const answer = await inMain(app, async ({ BrowserWindow, app: program }) => {
    const other = new BrowserWindow({
      show: false,
      webPreferences: { preload: `${program.getAppPath()}/out/preload/index.cjs`, sandbox: true },
    })
    await other.loadURL('app://troupe/index.html')
    const answered: unknown = await other.webContents.executeJavaScript(`troupe.command('start', {})`)
    other.destroy()
    return answered
  })
  expect(answer).toMatchObject({ ok: false, failure: { type: 'refused' } })
})

test('invalid commands get a readable error', async () => {
  const answers = await page.evaluate(async () => {
    const { troupe } = window as unknown as Exposed
    const any = troupe.command as (name: string, input: unknown) => Promise<unknown>
    return {
      unknown: await any('shell.run', { command: 'id' }),
      wrong: await any('folder.open', { path: 7 }),
      link: await any('system.openLink', { url: 'file:///etc/passwd' }),
      outside: await any('system.openFile', { folder: '/etc', path: 'hostname', line: null }),
      settings: await any('settings.change', { patch: { trustedFolders: ['/'] } }),
    }
  })
  expect(answers).toMatchObject({
    unknown: { ok: false, failure: { type: 'unknown-command' } },
    wrong: { ok: false, failure: { type: 'bad-input' } },
    link: { ok: false, failure: { type: 'bad-link' } },
    outside: { ok: false, failure: { type: 'outside' } },
    settings: { ok: false, failure: { type: 'not-here' } },
  })
})

test('deltas reach the page and stop when it unsubscribes', async () => {
  const received = await page.evaluate(async () => {
    const { troupe } = window as unknown as Exposed
    const heard: WindowDelta[] = []
    const next = () =>
      new Promise<void>((resolve) => {
        const stop = troupe.onDeltas((deltas) => {
          heard.push(...deltas.filter((delta) => delta.type === 'settings'))
          if (heard.length > 0) {
            stop()
            resolve()
          }
        })
      })
    const first = next()
    await troupe.command('settings.change', { patch: { zoom: 110 } })
    await first
    await troupe.command('settings.change', { patch: { zoom: 125 } })
    return heard.map((delta) => (delta.type === 'settings' ? delta.settings.zoom : null))
  })
  expect(received).toEqual([110])
})

test('an entered key is stored encrypted, for this user, and never sent to the page', async () => {
  const key = 'sk-ant-entered-by-hand'
  const answer = await page.evaluate(async (given) => {
    const { troupe } = window as unknown as Exposed
    return [
      await troupe.command('access.set', { kind: 'api', key: given, baseUrl: '' }),
      await troupe.command('start', {}),
    ]
  }, key)
  expect(answer[0]).toMatchObject({ ok: true, value: { kind: 'api', keySource: 'key-store' } })
  expect(JSON.stringify(answer)).not.toContain(key)
  const home = join(folder, 'home')
  expect(await readFile(join(home, 'api-key'), 'latin1')).not.toContain(key)
  expect((await stat(join(home, 'api-key'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(home, 'settings.json'), 'utf8')).not.toContain(key)
})

test('a key from the environment is used, never shown, and never inherited by commands', async () => {
  await app.close()
  app = await launch({ ANTHROPIC_API_KEY: SECRET, TROUPE_HOME: join(folder, 'other-home') })
  page = await app.firstWindow()
  const start = await page.evaluate(() => (window as unknown as Exposed).troupe.command('start', {}))
  expect(start).toMatchObject({ ok: true, value: { access: { kind: 'api', keySource: 'environment' } } })
  expect(JSON.stringify(start)).not.toContain(SECRET)
  expect(await inMain(app, () => Object.values(process.env).join())).not.toContain(SECRET)
})

test('no process of the program shows a key from the environment to other processes', async () => {
  // Other systems have no /proc.
  if (process.platform !== 'linux') return
  await app.close()
  const key = `canary-${randomUUID()}`
  app = await launch({ ANTHROPIC_API_KEY: key, TROUPE_HOME: join(folder, 'other-home') })
  page = await app.firstWindow()
  const start = await page.evaluate(() => (window as unknown as Exposed).troupe.command('start', {}))
  expect(start).toMatchObject({ ok: true, value: { access: { keySource: 'environment' } } })
  const types = new Set<string>()
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const read = (name: string) => readFile(join('/proc', pid, name), 'latin1').catch(() => '')
    const [environment, commandLine] = await Promise.all([read('environ'), read('cmdline')])
    expect(`${environment}${commandLine}`.includes(key), commandLine).toBe(false)
    if (commandLine.includes(folder) || commandLine.includes('--type=zygote'))
      types.add(/--type=([a-z-]+)/.exec(commandLine)?.[1] ?? 'main')
  }
  expect([...types]).toEqual(expect.arrayContaining(['main', 'renderer', 'zygote']))
})

test('a second start brings the first to the front and opens its folder there', async () => {
  const wanted = join(folder, 'wanted')
  await mkdir(wanted)
  await page.evaluate(() => {
    const { troupe } = window as unknown as Exposed
    const opened = new Promise((resolve) => {
      troupe.onDeltas((deltas) => {
        for (const delta of deltas) if (delta.type === 'folder' && delta.opened) resolve(delta.folder.path)
      })
    })
    Object.assign(window, { opened })
  })
  const executable = await inMain(app, () => process.execPath)
  const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  const second = promisify(execFile)(executable, ['.', ...flags, '--disable-gpu', wanted], {
    cwd: checkout,
    env: { ...withoutKeys(), TROUPE_HOME: join(folder, 'home') },
  })
  expect(await page.evaluate(() => Reflect.get(window, 'opened'))).toBe(wanted)
  await second
})
