export const f = () => 1
export const g = () => 2