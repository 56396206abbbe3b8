/** How the text of a definition is shown. */
import type { DefinitionSurroundings } from '../surroundings.ts'

export interface SourceOptions {
  /** Can be selected and copied, not changed. */
  readonly readOnly: boolean
  readonly surroundings: DefinitionSurroundings
  /** What screen readers call the text. */
  readonly label: string
}
