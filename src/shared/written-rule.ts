/** Permission rules with the place where they are written. */
import type { SettingsSource } from './settings-layers.ts'

export interface WrittenRule {
  /** As it is written: `Bash(npm run:*)`. */
  readonly text: string
  /** The same rule in this program's form, if it differs: paths of the home folder are absolute. */
  readonly meaning?: string
  /** `saved`: from "Always allow". */
  readonly source: SettingsSource | 'saved'
  /** Absolute; null: the command line. */
  readonly file: string | null
  /** Counted from 1; null if unknown. */
  readonly line: number | null
  /** File and line as the user sees them: `.claude/settings.json:12`, `--allow`. */
  readonly where: string
}

/** The rules that hold in a folder. They are checked in the order deny, ask, allow. */
export interface FolderRules {
  readonly deny: readonly WrittenRule[]
  readonly ask: readonly WrittenRule[]
  readonly allow: readonly WrittenRule[]
  /** Folders that agents use like their own: absolute, links not resolved. */
  readonly additionalDirectories: readonly string[]
}
