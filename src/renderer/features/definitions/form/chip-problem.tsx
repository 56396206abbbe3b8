/** The problem of one name in a list, on its chip. */
import { ArrowRight } from 'lucide-react'
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { ChipButton } from '../../../ui/chip.tsx'

export interface ChipProblem {
  /** `bad`: no such name. `needs-you`: a name that may exist later, such as a server's. `plain`: only a remark. */
  readonly tone: 'bad' | 'needs-you' | 'plain'
  readonly message: string
  /** The name that was probably meant, and how to write it; null without one, or if the definition is read-only. */
  readonly suggestion: { readonly name: string; readonly apply: () => void } | null
}

/** The problem that a diagnostic reports about a name of a list, or null. */
export function problemOfName(
  name: string,
  problems: readonly Diagnostic[],
  edit: (edits: Diagnostic['fixes'][number]['edits']) => void,
): ChipProblem | null {
  const found = problems.find(({ about }) => about?.name === name)
  if (found === undefined) return null
  const { code, severity, message, about, fixes } = found
  const nearest = about?.nearest ?? null
  const fix = fixes.find(({ label }) => nearest !== null && label === `Use ${nearest}`)
  const isLater = code === 'unknown-server' && nearest === null
  return {
    tone: severity === 'notice' ? 'plain' : isLater ? 'needs-you' : 'bad',
    message,
    suggestion:
      nearest === null || fix === undefined ? null : { name: nearest, apply: () => edit(fix.edits) },
  }
}

/** A chip's text: struck through if no such name exists. */
export function ChipName({ name, problem }: { readonly name: string; readonly problem: ChipProblem | null }) {
  return problem?.tone === 'bad' ? <s>{name}</s> : name
}

/** Behind a misspelled name: the button that writes the right one. */
export function ChipSuggestion(props: {
  readonly name: string
  readonly problem: ChipProblem | null
  /** Before the name is replaced, which removes this button. */
  readonly onReplace: () => void
}) {
  const suggestion = props.problem?.suggestion ?? null
  if (suggestion === null) return null
  return (
    <ChipButton
      icon={ArrowRight}
      aria-label={`Replace ${props.name} with ${suggestion.name}`}
      onClick={() => {
        props.onReplace()
        suggestion.apply()
      }}
      className="max-w-full"
    >
      <span className="truncate">{suggestion.name}</span>
    </ChipButton>
  )
}
