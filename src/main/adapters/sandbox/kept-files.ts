/**
 * The files of an agent's folder that a command must leave as they are: those that decide what runs later or what agents
 * are told, approved scripts, and what the user's rules deny or ask about. Missing ones count too.
 */
import { join } from 'node:path'
import type { CommandLimits } from '../../runtime/sandbox.ts'
import type { FileAccess, FolderScans, FoundFile } from './folder-scan.ts'

/** At the top of a folder, for which an empty one stands where they are missing. Editors and tools read them unasked. */
const MISSING: readonly MissingFile[] = [
  ...['.git', '.claude', '.vscode', '.husky', '.idea', '.devcontainer', '.cargo', '.cursor'].map((path) => ({
    path,
    kind: 'folder' as const,
  })),
  ...[
    '.mcp.json',
    '.envrc',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.pre-commit-config.yaml',
    'lefthook.yml',
  ].map((path) => ({ path, kind: 'file' as const })),
  ...['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md'].map((path) => ({ path, kind: 'file' as const })),
]

export interface MissingFile {
  readonly path: string
  readonly kind: 'file' | 'folder'
}

interface KeptRequest {
  readonly scans: FolderScans
  readonly isProtected: (below: string) => boolean
  /** The user's rules about files. */
  readonly access: CommandLimits['access']
  /** Approved scripts, absolute. */
  readonly scripts: readonly string[]
  /** The folders that the command may change, or the one that it reads. */
  readonly roots: readonly string[]
  readonly mayWrite: boolean
  /** Makes an empty file or folder, or shares the one that was made. False: something else is there. */
  hold(path: string, kind: 'file' | 'folder'): boolean
}

export interface KeptFiles {
  readonly found: readonly FoundFile[]
  /** Absolute paths, at which an empty file or folder was made. */
  readonly missing: readonly MissingFile[]
}

export function keptFiles(request: KeptRequest): KeptFiles {
  const { scans, access, roots, mayWrite, hold } = request
  const scripts = new Set(request.scripts)
  const found = roots.flatMap((root) => {
    const judge = (below: string, absolute: string): FileAccess => {
      const byRule = access?.judge({ absolute, below }) ?? null
      if (byRule === 'hidden' || !mayWrite) return byRule === 'hidden' ? 'hidden' : null
      return byRule ?? (request.isProtected(below) || scripts.has(absolute) ? 'read-only' : null)
    }
    const key = JSON.stringify([access?.key ?? '', mayWrite, request.scripts])
    return scans.of(root, { key, access: judge }).found
  })
  if (!mayWrite) return { found, missing: [] }
  const wanted = roots
    .slice(0, 1)
    .flatMap((root) => [
      ...MISSING.map(({ path, kind }) => ({ path: join(root, path), kind })),
      ...(access?.named ?? []).filter(({ path }) => path.startsWith(`${root}/`)),
    ])
  const missing = wanted.filter(({ path, kind }) => hold(path, kind))
  return { found: found.filter(({ path }) => !missing.some((file) => file.path === path)), missing }
}
