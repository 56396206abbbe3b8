/** Gathers what there is of the user's setup, what of it counts, and why the rest does not. */
import { join } from 'node:path'
import type { Setup, SetupItem } from '../../../shared/setup.ts'
import { exists } from '../system/exists.ts'
import { agentItems, commandItems, skillItems, styleItems } from './folder-items.ts'
import { memoryItems } from './memory-items.ts'
import { otherItems } from './other-items.ts'
import { hookItems, pluginItems, serverItems } from './program-items.ts'
import { settingsItems } from './settings-items.ts'
import { createImports } from './setup-imports.ts'
import { itemOf, notUsed, type SetupParts, stateFor } from './setup-item.ts'

/** @param parts with `saw`, which is called with each text that was written */
export function createSetup(
  parts: SetupParts & { readonly saw: Parameters<typeof createImports>[1] },
): Setup {
  return {
    async report(folder) {
      const found = await Promise.all([
        settingsItems(folder, parts),
        memoryItems(folder, parts),
        agentItems(folder, parts),
        skillItems(folder, parts),
        commandItems(folder, parts),
        styleItems(folder, parts),
        hookItems(folder, parts),
        serverItems(folder, parts),
        pluginItems(parts),
        otherItems(folder, parts),
        unreadItems(folder, parts),
        variableItems(parts),
      ])
      return { folder, trusted: parts.isTrusted(folder), items: found.flat() }
    },
    imports: createImports(parts, parts.saw),
  }
}

/** Files of Claude Code that Troupe has no use for. */
const UNREAD = [
  ['keybindings.json', 'Keybindings', 'Troupe has keys of its own.'],
  ['statusline.sh', 'Status line', 'It runs if "statusLine" of a settings file names it.'],
  ['themes', 'Themes', 'Troupe has themes of its own.'],
  ['workflows', 'Workflows', 'Troupe runs none.'],
] as const

async function unreadItems(
  folder: string,
  { home, layered, isTrusted }: SetupParts,
): Promise<readonly SetupItem[]> {
  const { layers } = await layered.layers.read(folder, { trusted: isTrusted(folder) })
  const line = JSON.stringify(layers.map(({ raw }) => raw['statusLine'] ?? null))
  const found = await Promise.all(
    UNREAD.map(async ([name, what, why]): Promise<readonly SetupItem[]> => {
      const file = join(home, '.claude', name)
      if (!(await exists(file))) return []
      const isUsed = what === 'Status line' && line.includes(name)
      return [
        itemOf(
          { group: 'user', what, file },
          isUsed ? { state: 'used', details: 'In the status bar' } : notUsed(why),
          { folder, home },
        ),
      ]
    }),
  )
  return found.flat()
}

function variableItems({ commandVariables }: SetupParts): readonly SetupItem[] {
  const { variables, withheld } = commandVariables()
  const notes = withheld.map(({ name, because }) => `${name} is not passed on: ${because}.`)
  const amount = Object.keys(variables).length
  return [
    {
      ...{ group: 'troupe', what: 'Variables of commands', shown: '', file: null, files: 0 },
      state: stateFor(amount, notes),
      details: `${amount} reach commands${notes.length === 0 ? '' : `, ${notes.length} are withheld`}`,
      notes,
    },
  ]
}
