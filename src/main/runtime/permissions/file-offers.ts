/** The rules that "Always allow" offers for a file: for exactly this one, and for the folders around it. */
import type { RuleOffer } from '../../../shared/agent-event.ts'
import { makeVisible } from '../../../shared/visible-text.ts'
import type { LocatedPath } from './locate-path.ts'
import { escapeGlob, fileRule } from './permission-rule.ts'

/** Folders at the top of the agent's folder, and those that directly hold the file. */
export function writeOffers(file: Pick<LocatedPath, 'real' | 'below'>): readonly RuleOffer[] {
  const exact = { rule: fileRule('write', file) }
  const folders = file.below?.split('/').slice(0, -1) ?? []
  // What a program keeps in such folders often decides what runs.
  if (folders.some((name) => name.startsWith('.') || name === 'node_modules')) return [exact]
  const around = new Set([folders.join('/'), folders[0] ?? ''])
  const wider = [...around]
    .filter((folder) => folder !== '')
    .map((folder) => ({
      rule: `Edit(/${escapeGlob(folder)}/**)`,
      alsoCovers: `every other file in ${makeVisible(folder)} and below`,
    }))
  return [exact, ...wider]
}

/**
 * A file outside the agent's folder. `isFolder`: the call searches a folder, whose rule covers everything below.
 * Nothing wide is offered near the root, where the home folders are.
 */
export function readOffers(
  file: Pick<LocatedPath, 'real' | 'below'>,
  isFolder: boolean,
): readonly RuleOffer[] {
  const names = file.real.split('/').filter((name) => name !== '')
  const folder = isFolder ? names : names.slice(0, -1)
  const isWideAllowed = folder.length > 2 && !folder.some((name) => name.startsWith('.'))
  const below = `file in /${makeVisible(folder.join('/'))} and below, except files that may contain a secret`
  const exact = fileRule('read', file)
  if (isFolder) return isWideAllowed ? [{ rule: exact, alsoCovers: `every ${below}` }] : []
  if (!isWideAllowed) return [{ rule: exact }]
  return [
    { rule: exact },
    { rule: `Read(//${escapeGlob(folder.join('/'))}/**)`, alsoCovers: `every other ${below}` },
  ]
}
