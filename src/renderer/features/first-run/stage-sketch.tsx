/** A small drawing of the stage: a conversation and four running agents. */
import { classNames } from '../../ui/text/class-names.ts'

const PANELS = [
  { color: 'var(--agent-blue)', lines: ['w-3/4', 'w-1/2', 'w-2/3'] },
  { color: 'var(--agent-green)', lines: ['w-2/3', 'w-4/5', 'w-1/3'] },
  { color: 'var(--agent-orange)', lines: ['w-1/2', 'w-3/5', 'w-3/4'] },
  { color: 'var(--agent-pink)', lines: ['w-4/5', 'w-1/3', 'w-1/2'] },
]

export function StageSketch() {
  return (
    <div
      aria-hidden="true"
      className="mb-7 grid h-36 grid-cols-[1fr_2.2fr] overflow-hidden rounded-md border border-line bg-line"
    >
      <div className="mr-px flex flex-col gap-2 bg-bg-0 p-3">
        <span className="h-5 w-4/5 self-end rounded-md bg-bg-3" />
        <Line width="w-full" />
        <Line width="w-2/3" />
        <span className="mt-1 flex flex-col gap-1.5 rounded-sm border border-line p-1.5">
          {PANELS.map(({ color, lines }) => (
            <span key={color} className="flex items-center gap-1.5">
              <span className="size-1 rounded-full" style={{ background: color }} />
              <Line width={lines[0] ?? ''} />
            </span>
          ))}
        </span>
      </div>
      <div className="grid grid-cols-2 gap-px">
        {PANELS.map(({ color, lines }, index) => (
          <div
            key={color}
            className="flex flex-col gap-2 border-t-2 bg-bg-1 p-2.5"
            style={{ borderColor: color }}
          >
            {lines.map((width) => (
              <Line key={width} width={width} />
            ))}
            <span
              className="pulse-soft h-2 w-1 rounded-[1px]"
              style={{ background: color, animationDelay: `${index * 230}ms` }}
            />
          </div>
        ))}
      </div>
    </div>
  )
}

function Line({ width }: { readonly width: string }) {
  return <span className={classNames('h-1 shrink-0 rounded-full bg-line-strong', width)} />
}
