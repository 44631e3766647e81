// How a page is examined: evaluated in it, after axe-core.
window.looks = {
    // Everything but colours: what is named, labelled, nested and reached by keyboard.
    async structure() {
        return this.lines((await axe.run(document, {
            resultTypes: ["violations"], iframes: false,
            rules: {"color-contrast": {enabled: false}, "link-in-text-block": {enabled: false}},
        })).violations)
    },

    // Texts whose colours and layers are among `known` have been examined on an earlier page; of those with the same
    // here three are, as another element may lie over the first.
    async colours(known) {
        const layers = new Map()
        const keys = new Map([...document.body.querySelectorAll("*")]
            .filter((one) => this.hasText(one) && one.checkVisibility()).map((one) => [one, this.key(one, layers)]))
        const unknown = Map.groupBy([...keys].filter(([, key]) => !known.includes(key)), ([, key]) => key)
        const fresh = [...unknown.values()].flatMap((alike) => alike.slice(0, 3).map(([one]) => one))
        if (fresh.length === 0) return {problems: [], examined: []}
        fresh.forEach((one) => one.setAttribute("data-fresh", ""))
        axe.configure({rules: [
            {id: "color-contrast", selector: "[data-fresh]"},
            {id: "link-in-text-block", selector: "a[href][data-fresh]"},
        ]})
        const found = await axe.run(document, {
            iframes: false, elementRef: true, runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]},
        })
        fresh.forEach((one) => one.removeAttribute("data-fresh"))
        const unsure = new Set(found.incomplete.flatMap((rule) => rule.nodes).map((node) => keys.get(node.element)))
        return {problems: this.lines(found.violations), examined: [...unknown.keys()].filter((key) => !unsure.has(key))}
    },

    lines: (rules) => rules.flatMap((rule) => rule.nodes.map((node) => `${rule.id} ${node.html.slice(0, 200)}`)),

    hasText: (one) => one.matches("input, select, textarea") ||
        [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()),

    // Texts with one key have one contrast; axe-core leaves out single letters and what is switched off.
    key(one, layers) {
        const style = getComputedStyle(one), around = getComputedStyle(one.parentElement)
        const link = one.matches("a") ? [around.color, around.fontWeight, style.textDecorationLine] : []
        return [
            one.tagName, one.closest(":disabled, [aria-disabled]") !== null, one.control?.disabled,
            one.textContent.trim().length > 1, style.color, style.fontSize, style.fontWeight, style.fontFamily, ...link,
            this.layersOf(one, layers),
        ].join(" ")
    },

    // What is drawn behind an element, and what may lie elsewhere than its place in the page says.
    layersOf(one, layers) {
        if (one === null) return getComputedStyle(document.documentElement).colorScheme
        if (layers.has(one)) return layers.get(one)
        const style = getComputedStyle(one), plain = "rgba(0, 0, 0, 0) none 1 none none"
        const own = [
            style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.clipPath,
        ].join(" ")
        const behind = this.layersOf(one.parentElement, layers)
        const lies = /absolute|fixed|sticky/.test(style.position) ? one.className : ""
        const whole = own === plain && !lies ? behind : [own, lies, behind].join(" ")
        layers.set(one, whole)
        return whole
    },

    // The elements of a page with their classes and the names of their attributes, and whether they hold a text.
    skeleton: () => [...document.querySelectorAll("body *:not(svg *, option)")].map((one) => [
        one.tagName, one.checkVisibility(), looks.hasText(one),
        ...[...one.attributes].map(({name, value}) => name === "class" ? value : name),
    ].join(" ")).join("\n"),

    // Fields that look like none, cells that cut what they hold, and whatever the page or a list has to be pushed aside
    // for. What scrolls in itself may be wider, and what only readers by ear get is not drawn; the theme frames its
    // search box.
    odd: (width) => [...document.querySelectorAll("body *")].filter((one) => {
        if (!one.checkVisibility()) return false
        const style = getComputedStyle(one)
        const untyped = "[type=checkbox], [type=radio], [type=hidden], [type=file], [x-ref]"
        const typed = `:is(textarea, select, input:not(${untyped}))`
        if (one.matches("#main " + typed) && style.borderTopWidth === "0px") return true
        if (one.id === "result_list") return one.scrollWidth > one.parentElement.clientWidth
        const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1
        if (one.matches("#result_list :is(td, th)") && style.overflowX === "hidden" && isCut) return true
        for (let around = one; around !== document.documentElement; around = around.parentElement) {
            const {clipPath, overflowX} = getComputedStyle(around)
            if (clipPath !== "none" || overflowX === "auto") return false
        }
        return one.getBoundingClientRect().right > width + 1 && !one.closest("#nav-sidebar")
    }).map((one) => "odd " + one.outerHTML.slice(0, 160)),

    // Both the media query and the class of the theme, whose animations are ended at once.
    async still(isDark) {
        document.documentElement.classList.toggle("dark", isDark)
        for (const one of document.getAnimations())
            try { one.finish() } catch { one.cancel() }
    },
}
