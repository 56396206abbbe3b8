/**
 * The sandbox of macOS: the plan of mounts as rules of Seatbelt, which `sandbox-exec` holds a command to. Nothing can
 * stand in another's place there. So what a mount would replace is closed, the agent's private home is a folder of its
 * own with links to the toolchains, and the repository's git folder is read-only. Tested as text alone: no Mac ran it.
 */
import { lstatSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { wrapCommandWithSandboxMacOS } from '@anthropic-ai/sandbox-runtime/dist/sandbox/macos-sandbox-utils.js'
import type { Mount } from './mount-plan.ts'

/** Absolute paths, each with all below it. */
interface SeatbeltRules {
  /** Not read, but for what is below `shown`. */
  readonly hidden: readonly string[]
  /** Read. What is hidden below one of these stays hidden. */
  readonly shown: readonly string[]
  readonly written: readonly string[]
  /** Not changed, although they are below a written folder. */
  readonly kept: readonly string[]
  /** Missing, and not made in any spelling: the file system of a Mac takes `.Claude` for `.claude`. */
  readonly neverMade: readonly string[]
  /** Links in the private home to what the user's home has at the same place. */
  readonly links: readonly { readonly at: string; readonly target: string }[]
}

interface SeatbeltCommand {
  readonly rules: SeatbeltRules
  /** The program and its arguments. */
  readonly argv: readonly string[]
  /** Lines of bash that run first, in the sandbox. */
  readonly begin: readonly string[]
  readonly environment: readonly (readonly [name: string, value: string])[]
  /** Sockets of this machine that the command reaches. Absolute. */
  readonly sockets: readonly string[]
  /** The only port of this machine that the command reaches. Null: none. */
  readonly port: number | null
}

/** @param homes the user's home, and the private one that a command has instead */
export function seatbeltRules(
  plan: readonly Mount[],
  homes: { readonly real: string; readonly own: string },
): SeatbeltRules {
  const rules = {
    hidden: new Set<string>(),
    shown: new Set<string>(),
    written: new Set<string>(),
    kept: new Set<string>(),
    neverMade: new Set<string>(),
  }
  const links = new Map<string, string>()
  const inHome = (at: string) => at.startsWith(`${homes.real}/`)
  const link = (at: string, target: string) => links.set(join(homes.own, relative(homes.real, at)), target)
  for (const mount of plan) {
    const { at } = mount
    if (mount.kind === 'link') {
      if (inHome(at)) link(at, mount.target)
    } else if (mount.kind !== 'read' && mount.kind !== 'write') {
      rules.hidden.add(at)
      rules.kept.add(at)
    } else if (mount.source !== at) {
      if (mount.kind === 'read') rules.neverMade.add(at)
      else {
        rules.hidden.add(at)
        for (const set of [rules.shown, rules.written]) set.add(mount.source)
      }
    } else {
      rules.shown.add(at)
      if (mount.kind === 'write') rules.written.add(at)
      else if ([...rules.written].some((folder) => at.startsWith(`${folder}/`))) rules.kept.add(at)
      else if (inHome(at)) link(at, at)
    }
  }
  return {
    hidden: [...rules.hidden],
    shown: [...rules.shown],
    written: [...rules.written],
    // A rule that keeps wins over one that lets write, so that a folder around a written one is none.
    kept: [...rules.kept].filter((path) => ![...rules.written].some((one) => one.startsWith(`${path}/`))),
    neverMade: [...rules.neverMade],
    links: [...links].map(([at, target]) => ({ at, target })),
  }
}

/** Makes the links of a private home. What stands at such a path already is left alone. */
export function makeLinks({ links }: Pick<SeatbeltRules, 'links'>): void {
  for (const { at, target } of links) {
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined) continue
    mkdirSync(dirname(at), { recursive: true })
    symlinkSync(target, at)
  }
}

/** A private folder in the home in place of a link that an earlier command had there. */
export function unlinkFolder(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(path)
}

/** The line of bash that runs the command in the sandbox. */
export function seatbeltLine({ rules, argv, begin, environment, sockets, port }: SeatbeltCommand): string {
  const variables = environment.map(([name, value]) => `export ${name}=${quoted(value)}`)
  return wrapCommandWithSandboxMacOS({
    command: [...variables, ...begin, `exec ${argv.map(quoted).join(' ')}`].join('; '),
    binShell: 'bash',
    needsNetworkRestriction: true,
    allowUnixSockets: [...sockets],
    ...(port !== null && { httpProxyPort: port, socksProxyPort: port }),
    readConfig: {
      denyOnly: [],
      literalDenyOnly: [...rules.hidden],
      literalAllowWithinDeny: [...rules.shown],
    },
    writeConfig: {
      allowOnly: [],
      literalAllowOnly: [...rules.written, ...DEVICES],
      denyWithinAllow: rules.neverMade.flatMap(inAnySpelling),
      literalDenyWithinAllow: [...rules.kept, ...rules.neverMade],
    },
  })
}

const DEVICES = ['/dev/null', '/dev/tty', '/dev/stdout', '/dev/stderr', '/dev/fd'] as const

/** A pattern for the last part of a path in capital and small letters. Empty where the folder's name reads as a pattern. */
function inAnySpelling(path: string): readonly string[] {
  const folder = dirname(path)
  if (/[*?[\]]/.test(folder)) return []
  const name = [...path.slice(folder.length + 1)]
  return [join(folder, name.map((letter) => (/[a-z]/i.test(letter) ? either(letter) : letter)).join(''))]
}

const either = (letter: string): string => `[${letter.toLowerCase()}${letter.toUpperCase()}]`

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
