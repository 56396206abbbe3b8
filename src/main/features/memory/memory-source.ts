/** The `MemorySource` port on files: instructions of the user and of the project, and agents' own notes. */
import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { waitingTextSentence } from '../../../shared/kernel/waiting-text.ts'
import type { SeenTexts } from '../../platform/approvals/seen-texts.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { realFolderOf } from '../../platform/system/real-folder.ts'
import type { AgentMemory, InstructionFile, MemorySource } from '../../runtime/ports/definitions.ts'
import { readAgentMemory } from './agent-memory.ts'
import {
  agentPlace,
  instructionStarts,
  type MemoryFolderOptions,
  memoryProjectFolders,
} from './memory-folders.ts'
import { type ReadingRules, readInstructions } from './read-instructions.ts'
import { findRules, type RuleFile, ruleApplies } from './rule-files.ts'

export interface MemorySourceOptions extends MemoryFolderOptions {
  /** Whether a file may hold a secret, by its path with slashes. */
  isSecret(path: string): boolean
  /** Missing: every text of a trusted project counts. */
  readonly texts?: Pick<SeenTexts, 'begin' | 'told' | 'version' | 'waiting'>
  /** ms since the epoch. */
  now(): number
}

/** ms. An agent reads many files of one folder within moments; they share one reading of its instructions. */
const NESTED_SHARED_FOR = 1000
/** Users read each problem. */
const MOST_PROBLEMS = 20
const NESTED_FILES = ['CLAUDE.md', 'AGENTS.md', 'CLAUDE.local.md']
/** Folders whose files are not the project's own instructions. */
const SKIPPED_FOLDERS: ReadonlySet<string> = new Set(['.git', '.claude', 'node_modules'])

export function createMemorySource(options: MemorySourceOptions): MemorySource {
  const files = createNodeFileSystem()
  const { now } = options
  /** The latest readings of nested instructions, by the agent's folder and the folder below. */
  const recent = new Map<
    string,
    { readonly at: number; readonly files: Promise<readonly InstructionFile[]> }
  >()

  const { texts } = options
  const rulesOf = new Map<string, { readonly at: number; readonly rules: Promise<readonly RuleFile[]> }>()

  /** @param top the project's top folder */
  async function rulesFor(top: string, untrusted: string | null): Promise<ReadingRules> {
    if (untrusted === null) await texts?.begin(top)
    const home = await realpath(options.home).catch(() => resolve(options.home))
    const isSecret = (path: string) => options.isSecret(path.replaceAll(sep, '/'))
    // The user's own files are trusted, even if the home folder itself is the untrusted folder.
    const isAround = untrusted !== null && (home === untrusted || isBelow(untrusted, home))
    return {
      ...{ files, home, isSecret, untrusted: isAround ? null : untrusted },
      ...(texts && { told: (file) => texts.told(top, file) }),
    }
  }

  async function load(
    ...[folder, { name, memory, omitProjectInstructions }, { trusted }]: Parameters<MemorySource['load']>
  ): Promise<AgentMemory> {
    const project = await memoryProjectFolders(folder, options)
    const always = (await findRules(project, { home: options.home, trusted })).filter(
      ({ paths }) => paths === null,
    )
    const starts = omitProjectInstructions
      ? []
      : [...instructionStarts(project, { home: options.home, memory, trusted }), ...always]
    const rules = await rulesFor(project.top, trusted ? null : project.top)
    const shared = await readInstructions(starts, rules)
    // Notes in an untrusted folder are not used.
    const isOwn = memory !== null && (trusted || memory !== 'project')
    const own = isOwn
      ? await readAgentMemory(
          agentPlace(name, memory, { home: options.home, project }),
          files,
          memory === 'project' ? rules.told : undefined,
        )
      : { files: [], folder: null, problems: [] }
    return {
      files: [...shared.files, ...own.files],
      folder: own.folder,
      problems: shortened([
        ...shared.problems,
        ...own.problems,
        ...(trusted ? ((await texts?.waiting(project.top)) ?? []) : []).map(waitingTextSentence),
      ]),
    }
  }

  async function below(
    ...[folder, path, { trusted }]: Parameters<MemorySource['below']>
  ): Promise<readonly InstructionFile[]> {
    const root = trusted ? realFolderOf(folder) : null
    if (root === null) return []
    const ofRules = await readRules(root, path)
    return [...ofRules, ...(await ofFolders(root, path))]
  }

  /** The rules with `paths:` that hold for a file. A rule's own file stands for itself: the caller asks whether it changed. */
  async function readRules(root: string, path: string): Promise<readonly InstructionFile[]> {
    const before = rulesOf.get(root)
    const isFresh = before !== undefined && Math.abs(now() - before.at) < NESTED_SHARED_FOR
    const rules = isFresh
      ? before.rules
      : memoryProjectFolders(root, options).then((project) =>
          findRules(project, { home: options.home, trusted: true }),
        )
    if (!isFresh) rulesOf.set(root, { at: now(), rules })
    const wanted = (await rules).filter(
      (rule) => rule.paths !== null && (rule.path === path || ruleApplies(rule, path)),
    )
    if (wanted.length === 0) return []
    const { top } = await memoryProjectFolders(root, options)
    return (await readInstructions(wanted, await rulesFor(top, null))).files
  }

  async function ofFolders(root: string, path: string): Promise<readonly InstructionFile[]> {
    if (!isBelow(root, path)) return []
    const isFolder = (await stat(path).catch(() => null))?.isDirectory() ?? false
    const names = relative(root, isFolder ? path : dirname(path))
      .split(sep)
      .filter(Boolean)
    if (names.some((name) => SKIPPED_FOLDERS.has(name))) return []
    for (const [key, { at }] of recent) if (Math.abs(now() - at) >= NESTED_SHARED_FOR) recent.delete(key)
    const key = JSON.stringify([texts?.version(), root, ...names])
    const reading = recent.get(key) ?? { at: now(), files: readNested(root, names) }
    recent.set(key, reading)
    return reading.files
  }

  async function readNested(root: string, names: readonly string[]): Promise<readonly InstructionFile[]> {
    const { top } = await memoryProjectFolders(root, options)
    const starts = names.flatMap((_, index) =>
      NESTED_FILES.map((file) => ({
        path: join(root, ...names.slice(0, index + 1), file),
        scope: 'project' as const,
        inside: top,
      })),
    )
    return (await readInstructions(starts, await rulesFor(top, null))).files
  }

  return { load, below }
}

function shortened(problems: readonly string[]): readonly string[] {
  const more = problems.length - MOST_PROBLEMS
  return more <= 0
    ? problems
    : [...problems.slice(0, MOST_PROBLEMS), `${more} more instruction files were not read.`]
}
