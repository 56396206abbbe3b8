/** The problems of the text with positions and quick fixes. */
import { CircleX, Info, TriangleAlert } from 'lucide-react'
import type { Diagnostic } from '../../../../shared/agent-definition/agent-definition.ts'
import { fixText } from '../../../../shared/agent-definition/fix-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { count } from '../../../ui/text/format.ts'
import { definitionProblems } from '../source/read-head.ts'
import type { DefinitionSurroundings } from '../surroundings.ts'

interface ProblemsPanelProps {
  readonly problems: readonly Diagnostic[]
  readonly readOnly: boolean
  readonly onReveal: (problem: Diagnostic) => void
  /** Applies the fix with this label. */
  readonly onFix: (problem: Diagnostic, label: string) => void
}

const ICONS = { error: CircleX, warning: TriangleAlert, notice: Info } as const
const COLORS = { error: 'text-bad', warning: 'text-needs-you', notice: 'text-fg-2' } as const

export function ProblemsPanel({ problems, readOnly, onReveal, onFix }: ProblemsPanelProps) {
  if (problems.length === 0) return <p className="text-fg-2">No problems.</p>
  return (
    <ul aria-label="Problems" className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      {problems.map((problem) => {
        const Icon = ICONS[problem.severity]
        return (
          <li key={`${problem.from}:${problem.code}:${problem.message}`}>
            <button
              type="button"
              onClick={() => onReveal(problem)}
              className="-mx-1 flex max-w-full items-baseline gap-1.5 rounded-xs px-1 text-left text-fg-1 hover:bg-bg-2 hover:text-fg-0"
            >
              <Icon
                size={12}
                strokeWidth={2}
                role="img"
                aria-label={problem.severity}
                className={`shrink-0 translate-y-[1.5px] ${COLORS[problem.severity]}`}
              />
              <span className="shrink-0 font-mono text-fg-2 text-xs">
                {problem.line}:{problem.column}
              </span>
              <span className="min-w-0 break-words">{problem.message}</span>
            </button>
            {!readOnly && problem.fixes.length > 0 && (
              <div className="flex flex-wrap gap-1.5 pt-1 pl-[1.125rem]">
                {problem.fixes.map(({ label }) => (
                  <Button
                    key={label}
                    title={label}
                    className="h-[1.375rem] min-w-0 max-w-full shrink"
                    onClick={() => onFix(problem, label)}
                  >
                    <span className="truncate">{label}</span>
                  </Button>
                ))}
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** "1 error" or "2 warnings": counts the most severe kind; nothing without problems. */
export function ProblemCount({ problems }: { readonly problems: readonly Diagnostic[] }) {
  const amount = (severity: Diagnostic['severity']) =>
    problems.filter((problem) => problem.severity === severity).length
  const [errors, warnings, notices] = [amount('error'), amount('warning'), amount('notice')]
  if (errors > 0) return <Chip tone="bad">{count(errors, 'error')}</Chip>
  if (warnings > 0) return <Chip tone="needs-you">{count(warnings, 'warning')}</Chip>
  return notices > 0 ? <Chip>{count(notices, 'notice')}</Chip> : null
}

/** Applies all certain fixes. Names that another program or a later time may know stay in the text. */
export function isFixed({ fixes }: Diagnostic): boolean {
  return fixes.some(({ isCertain }) => isCertain)
}

export function fixAll(text: string, surroundings: DefinitionSurroundings): string {
  return fixText(text, (now) => definitionProblems(now, surroundings)).text
}
