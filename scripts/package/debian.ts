/** The package for Debian and its kin, with `dpkg-deb` alone. */
import { chmodSync, cpSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runProgram } from '../runner/run-program.mjs'
import { CannotContinue } from '../runner/say.mjs'
import { inTemporaryFolder, readManifest } from './command-line.ts'
import { filesBelow, MIME_TYPES } from './desktop.ts'
import { iconPng } from './icon.ts'

const PLACE = '/opt/troupe'
const ICON_SIZES = [16, 24, 32, 48, 64, 128, 256, 512]
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** What the executable is linked with or loads. Packages of newer systems that were renamed provide these names. */
const NEEDED = [
  ...['libgtk-3-0', 'libnss3', 'libatk-bridge2.0-0', 'libcups2', 'libgbm1', 'libasound2', 'libdrm2'],
  ...['libxss1', 'libxtst6', 'libsecret-1-0', 'libnotify4', 'xdg-utils'],
]

/** What agents work with: repositories, and the sandbox of their commands. */
const RECOMMENDED = ['git', 'bubblewrap', 'socat']

const DESKTOP_FILE = `[Desktop Entry]
Type=Application
Name=Troupe
GenericName=Coding agents
Comment=Agents that work on a coding task in parallel
Exec=${PLACE}/troupe %f
Icon=troupe
Terminal=false
Categories=Development;
Keywords=agent;code;AI;
MimeType=${MIME_TYPES.join(';')};
StartupWMClass=troupe
`

/**
 * Makes the package of the packed program.
 *
 * @param program the folder that electron-builder made
 * @param dist where the package goes
 * @returns its path
 */
export async function packForDebian(program: string, dist: string): Promise<string> {
  const processor = PROCESSORS[process.arch] ?? process.arch
  const { name, version, description } = readManifest()
  return inTemporaryFolder(async (place) => {
    cpSync(program, join(place, PLACE), { recursive: true, verbatimSymlinks: true })
    for (const file of filesBelow(join(place, PLACE))) makeReadable(join(place, PLACE, file))
    // Where users may not make namespaces, Chromium's sandbox is made by this program of root.
    chmodSync(join(place, PLACE, 'chrome-sandbox'), 0o4755)
    const add = (path: string, content: string | Buffer) => {
      mkdirSync(dirname(join(place, path)), { recursive: true })
      writeFileSync(join(place, path), content)
    }
    for (const size of ICON_SIZES)
      add(`usr/share/icons/hicolor/${size}x${size}/apps/troupe.png`, iconPng(size))
    add('usr/share/applications/troupe.desktop', DESKTOP_FILE)
    mkdirSync(join(place, 'usr/bin'), { recursive: true })
    symlinkSync(`${PLACE}/resources/bin/troupe`, join(place, 'usr/bin/troupe'))
    mkdirSync(join(place, `usr/share/doc/${name}`), { recursive: true })
    cpSync(join(program, 'resources/LICENSE'), join(place, `usr/share/doc/${name}/copyright`))
    const size = filesBelow(place).reduce((sum, file) => sum + lstatSync(join(place, file)).size, 0)
    add(
      'DEBIAN/control',
      `${[
        `Package: ${name}`,
        `Version: ${version}`,
        `Architecture: ${processor}`,
        'Maintainer: The Troupe developers',
        `Installed-Size: ${Math.ceil(size / 1024)}`,
        `Depends: ${NEEDED.join(', ')}`,
        `Recommends: ${RECOMMENDED.join(', ')}`,
        'Section: devel',
        'Priority: optional',
        `Description: ${description}`,
      ].join('\n')}\n`,
    )
    const file = join(dist, `${name}_${version}_${processor}.deb`)
    await buildArchive(place, file)
    return file
  })
}

/** Makes a package of a folder. @param folder has DEBIAN/control */
export async function buildArchive(
  folder: string,
  file: string,
  compression: 'xz' | 'none' = 'xz',
): Promise<void> {
  chmodSync(folder, 0o755)
  const args = ['--root-owner-group', `-Z${compression}`, '--build', folder, file]
  const { code, output } = await runProgram('dpkg-deb', args, { capture: true }).catch(() => {
    throw new CannotContinue('dpkg-deb is missing, which makes packages for Debian.', 'apt-get install dpkg')
  })
  if (code !== 0) throw new CannotContinue(`dpkg-deb failed with exit code ${code}:\n${output.trim()}`)
}

/** The checkout may be readable for its owner only, the installed program is for everybody. */
function makeReadable(file: string): void {
  const { mode } = lstatSync(file)
  chmodSync(file, (mode & 0o100) === 0 ? 0o644 : 0o755)
}
