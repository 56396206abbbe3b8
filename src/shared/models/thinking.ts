/** Whether a model thinks before it answers, where the model leaves the choice. */
export const thinkings = ['on', 'off'] as const
export type Thinking = (typeof thinkings)[number]
