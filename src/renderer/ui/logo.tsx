const BARS = ['var(--agent-blue)', 'var(--agent-green)', 'var(--agent-orange)', 'var(--agent-pink)']

/** The logo: four bars and the name. */
export function Logo() {
  return (
    <span className="flex shrink-0 items-center gap-2 font-[650] text-fg-0 text-md tracking-[-0.01em]">
      <span aria-hidden="true" className="inline-flex gap-0.5">
        {BARS.map((color) => (
          <span key={color} className="h-3.5 w-[5px] rounded-[2px]" style={{ background: color }} />
        ))}
      </span>
      Troupe
    </span>
  )
}
