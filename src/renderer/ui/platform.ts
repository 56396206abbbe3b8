/** Whether keys are written and bound the way a Mac does. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
