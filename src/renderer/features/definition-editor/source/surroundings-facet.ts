/** What the definition in the editor can refer to, for completion, help and problems. */
import { type EditorState, Facet } from '@codemirror/state'
import type { DefinitionSurroundings } from '../surroundings.ts'

export const surroundingsFacet = Facet.define<DefinitionSurroundings>()

export function surroundingsOf(state: EditorState): DefinitionSurroundings | null {
  return state.facet(surroundingsFacet)[0] ?? null
}
