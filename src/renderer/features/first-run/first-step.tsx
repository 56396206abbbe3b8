import type { ReactNode } from 'react'
import { Logo } from '../../ui/logo.tsx'

interface FirstStepProps {
  readonly title: string
  readonly words: string
  /** Which step it is, of how many. */
  readonly step?: string
  readonly children: ReactNode
}

/** The frame of each question that comes before the first conversation. */
export function FirstStep({ title, words, step, children }: FirstStepProps) {
  return (
    <main className="grid min-h-0 overflow-y-auto">
      <div className="m-auto w-[520px] max-w-full px-6 py-10">
        <div className="flex items-center justify-between pb-6">
          <Logo />
          {step !== undefined && <span className="text-fg-2 text-sm">{step}</span>}
        </div>
        <h1 className="font-semibold text-fg-0 text-xl tracking-[-0.01em]">{title}</h1>
        <p className="pt-1.5 pb-5 text-fg-1 text-md">{words}</p>
        {children}
      </div>
    </main>
  )
}
