/**
 * The desktop program with electron-builder. The archive (app.asar) has the window; what is read by path, with the
 * command line, is beside it, so that the program folder is `resources`.
 */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { provideTools } from '../runner/environment.mjs'
import { installLocked, lockHash } from '../runner/outside-programs.mjs'
import { root, userCache } from '../runner/paths.mjs'
import { CannotContinue } from '../runner/say.mjs'
import { copyPackages, copyProgram, inTemporaryFolder, readManifest } from './command-line.ts'
import { iconPng } from './icon.ts'

/** What electron-builder makes: a folder, or the installers of this system. */
type Form = 'folder' | 'installers'

interface Builder {
  build(options: object): Promise<readonly string[]>
  readonly Platform: { current(): { createTarget(targets?: string | null): unknown } }
}

const LAUNCHERS: Readonly<Record<string, string>> = {
  troupe: `#!/bin/sh
# Troupe's command line, run by the program's own Node. With a folder or without arguments it opens the window.
resources=$(dirname "$(dirname "$(readlink -f "$0")")")
program=$resources/../troupe
[ -x "$program" ] || program=$resources/../MacOS/Troupe
ELECTRON_RUN_AS_NODE=1 exec "$program" "$resources/out/cli.mjs" "$@"
`,
  'troupe.cmd': `@echo off\r
setlocal\r
set ELECTRON_RUN_AS_NODE=1\r
"%~dp0..\\..\\Troupe.exe" "%~dp0..\\out\\cli.mjs" %*\r
`,
}

/**
 * What is decided in the executable itself, so that no variable and no option changes it. The command line and workers need
 * Electron as Node. The fuse of NODE_OPTIONS is also that of NODE_EXTRA_CA_CERTS, which networks with proxies need; it opens
 * nothing that Electron as Node does not.
 */
const FUSES = {
  runAsNode: true,
  enableCookieEncryption: false,
  enableNodeOptionsEnvironmentVariable: true,
  enableNodeCliInspectArguments: false,
  enableEmbeddedAsarIntegrityValidation: true,
  onlyLoadAppFromAsar: true,
  loadBrowserProcessSpecificV8Snapshot: false,
  grantFileProtocolExtraPrivileges: false,
  resetAdHocDarwinSignature: true,
}

/**
 * Packs the built program for this system.
 *
 * @param electron the folder of the Electron to pack
 * @param dist where the results go
 * @returns the path of the folder, or those of the installers
 */
export async function packDesktop(electron: string, dist: string, form: Form): Promise<readonly string[]> {
  const { build, Platform } = await loadBuilder()
  return inTemporaryFolder(async (place) => {
    const app = join(place, 'app')
    copyWindow(app)
    writeFileSync(join(place, 'icon.png'), iconPng(1024))
    const made = await build({
      targets: Platform.current().createTarget(form === 'folder' ? 'dir' : null),
      projectDir: app,
      publish: 'never',
      config: configuration({ electron, dist, icon: join(place, 'icon.png') }),
    }).catch((thrown: unknown) => {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      throw new CannotContinue(
        `electron-builder failed: ${why}`,
        form === 'installers'
          ? 'AppImage, rpm, dmg and nsis need tools that it downloads from GitHub.'
          : undefined,
      )
    })
    return form === 'folder' ? [unpackedFolder(dist)] : made
  })
}

/** The folder that electron-builder makes for this system. */
function unpackedFolder(dist: string): string {
  const name = { linux: 'linux-unpacked', win32: 'win-unpacked' }[process.platform as string]
  const processor = process.arch === 'x64' ? '' : `-${process.arch}`
  return name === undefined
    ? join(dist, `mac${processor}`, 'Troupe.app')
    : join(dist, name.replace('-', `${processor}-`))
}

/** Copies the window, as a program of Electron. */
function copyWindow(folder: string): void {
  for (const name of ['main', 'preload', 'renderer'])
    cpSync(join(root, 'out', name), join(folder, 'out', name), {
      recursive: true,
      filter: (path) => !path.endsWith('.compiled'),
    })
  const { name, version, description, license, author, type } = readManifest()
  const manifest = { name, version, description, license, author, type, main: 'out/main/start.cjs' }
  // By this name a Linux desktop knows which windows belong to the program of the menu.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, desktopName: `${name}.desktop` }))
}

/** Adds what is read by path to the packed program, and what starts its command line: `bin/troupe`. */
export function addProgram(resources: string): void {
  // The stand-in for Electron has these of its own.
  for (const name of ['app', 'app-update.yml'])
    rmSync(join(resources, name), { recursive: true, force: true })
  copyProgram(resources)
  copyPackages(resources)
  cpSync(join(root, 'sample'), join(resources, 'sample'), { recursive: true })
  mkdirSync(join(resources, 'bin'), { recursive: true })
  const name = process.platform === 'win32' ? 'troupe.cmd' : 'troupe'
  writeFileSync(join(resources, 'bin', name), LAUNCHERS[name] ?? '')
  chmodSync(join(resources, 'bin', name), 0o755)
}

function configuration(paths: { electron: string; dist: string; icon: string }): object {
  const { electron, dist, icon } = paths
  return {
    appId: 'troupe.desktop',
    productName: 'Troupe',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder's own variables
    artifactName: '${name}-${version}-${os}-${arch}.${ext}',
    electronVersion: readFileSync(join(electron, 'version'), 'utf8').trim().replace(/^v/, ''),
    electronDist: electron,
    electronLanguages: ['en-US', 'en'],
    electronFuses: FUSES,
    npmRebuild: false,
    directories: { output: dist },
    files: ['package.json', 'out/**'],
    afterPack: ({ appOutDir, packager }: { appOutDir: string; packager: Packager }) =>
      addProgram(packager.getResourcesDir(appOutDir)),
    linux: {
      target: ['AppImage', 'rpm'],
      executableName: 'troupe',
      category: 'Development',
      icon,
      mimeTypes: MIME_TYPES,
      syncDesktopName: true,
    },
    mac: {
      target: ['dmg', 'zip'],
      category: 'public.app-category.developer-tools',
      icon,
      hardenedRuntime: true,
    },
    win: { target: ['nsis'], icon },
    nsis: { oneClick: false, perMachine: false, allowToChangeInstallationDirectory: true },
  }
}

/** What file managers offer to open with Troupe. */
export const MIME_TYPES = ['inode/directory']

interface Packager {
  getResourcesDir(folder: string): string
}

/** electron-builder, from a lockfile of its own: nothing but packing needs it. */
async function loadBuilder(): Promise<Builder> {
  const source = join(import.meta.dirname, 'builder')
  const folder = join(userCache, `builder-${lockHash(source)}`)
  if (!(await installLocked(source, folder, provideTools(), 'Fetching electron-builder (90 MB), once')))
    throw new CannotContinue('electron-builder could not be fetched with npm.')
  return createRequire(join(folder, 'package.json'))('electron-builder') as Builder
}

/** All files below a folder, as paths in it. */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}
