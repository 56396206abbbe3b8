import type { ReactNode } from 'react'

interface FirstStepProps {
  readonly title: string
  readonly text: string
  /** Above the title. */
  readonly picture?: ReactNode
  readonly children: ReactNode
}

/** The frame of each question before the first conversation. */
export function FirstStep({ title, text, picture, children }: FirstStepProps) {
  return (
    <main className="grid min-h-0 overflow-y-auto">
      <div className="mx-auto mt-[max(24px,12vh)] mb-auto w-[540px] max-w-full px-6 pb-10">
        {picture}
        <h1 className="font-semibold text-fg-0 text-xl tracking-[-0.01em]">{title}</h1>
        <p className="pt-1.5 pb-5 text-fg-1 text-md">{text}</p>
        {children}
      </div>
    </main>
  )
}
