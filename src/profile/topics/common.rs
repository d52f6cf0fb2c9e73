//! Words that are in every document, and so are no topic of any.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Function words and those of every title: they end a phrase.
const GENERIC: &str = "
a about above abstract according acknowledgements acknowledgments across actually additional after again all almost along
already also although always among an and another any anything appendices appendix are around as at author authors available back basic
basics be became because become been before behind being below between beyond bibliography both but by can cannot chapter
chapters come comes conclusion conclusions contents could currently did different do does doing done down due during each
either else end enough etc even ever every everything example examples except exercise exercises far few fig figure figures
first following follows for foreword found from full further furthermore future general generally get gets getting give given
gives go goes going good got great guide had has have having he help hence her here him his how however i if immediately in
index instead into introduction is it its itself just keep kind know known last later least less let like likely list little
long look made main make makes making manual many may maybe me might misc miscellaneous more moreover most much must my need
needed needs neither never new next no none nor not note notes nothing now of off often old on once one ones only onto or
other others otherwise our out outline over overview own page pages part perhaps please possible preface previous
probably quite rather really recent references related remarks rest said same say says second section sections see seem seems
seen several shall she should show shown shows similar since small so some something sometimes soon start started still such
summary sure table tables take taken tell than that the their them then there therefore these they thing things third this
those though three through throughout thus times to together too toward towards two under until up upon us use used useful
user uses using usually various very via volume want was way ways we well were what whatever when where whether which while
who whole whom whose why will with within without would yes yet you your
adding building calling changing choosing coming creating defining finding giving going having including keeping loading
looking loaded making placing putting reading removing running selecting setting showing starting stopping taking trying
working writing means sets gets goes comes runs takes makes gives says shows puts allowed selected customized customised
converts convert accept accepts acceptable implement implemented";

/// Words of any text that become topics only where a title has them.
const COMMON: &str = "
able access action actions add added allow allows amount answer appear apply area argument arguments available based begin
better body bottom bring build building call called calls care case cases cause certain change changed changes character
characters check choose class close code column come command commands common compare complete consider contain contains content
control copy correct could country create created current data date day days default define defined definition depends
describe described description design detail details determine development difference direct directly directory display
document documents easily easy edit effect element elements empty enter entire equal error errors especially exactly existing
expect explain fact features field file files find fine fixed following font form format free function functions group hand
happen head hold hour hours idea image important include included includes including increase information inner input inside
instance item items itself kept key language large largest later leave left length letter letters level levels line lines load local
long lower main mark matter mean means member method methods middle minute minutes mode month months move multiple name names
natural near necessary nice normal number numbers object offer open option optional options order original output outside
package packages page parameter parameters particular parts pass people place plain point points position power present print
problem problems process produce program programs project properties property provide provided provides public purpose put
question range read reader reading ready real reason receive remain remove required result results return returns right room
rule rules run running sample save scale scheme select sense sequence series service set sets setting settings shape short
sign simple simply single size solution source space special specific specified specify standard state step steps stop
string strings structure style subject support supported supports symbol system systems term test text time title today tool
tools top total try turn type types unit units update usage users value values variable version versions view week weeks white
width wide word words work works world write written wrong year years zero";

/// Words of every Chinese title, taken off the ends of what else stands there.
pub(super) const GENERIC_HAN: &[&str] = &[
    "概述",
    "引言",
    "前言",
    "简介",
    "介绍",
    "目录",
    "附录",
    "总结",
    "小结",
    "说明",
    "绪论",
    "结语",
    "结论",
    "序言",
    "总则",
    "附则",
    "参考文献",
    "致谢",
    "索引",
    "注意事项",
    "其他",
    "其它",
    "示例",
    "例子",
    "基本",
    "一般",
    "常用",
    "相关",
    "更多",
    "进一步",
    "本章",
    "本节",
    "本文",
    "第一",
    "第二",
    "第三",
    "第四",
    "第五",
    "第六",
    "第七",
    "第八",
    "第九",
    "第十",
    "一些",
    "这些",
    "那些",
    "这个",
    "那个",
    "这种",
    "它们",
    "我们",
    "你们",
    "他们",
    "可以",
    "需要",
    "使用",
    "进行",
    "如果",
    "但是",
    "因此",
    "所以",
    "因为",
    "由于",
    "如下",
    "下面",
    "以下",
    "以上",
    "上面",
    "通过",
    "根据",
    "例如",
    "比如",
    "并且",
    "而且",
    "或者",
    "没有",
    "不是",
    "就是",
    "还是",
    "也是",
    "什么",
    "怎么",
    "如何",
    "为什么",
    "时候",
    "之后",
    "之前",
    "其中",
    "各种",
    "所有",
    "任何",
    "每个",
    "一个",
    "两个",
    "几个",
    "多个",
    "这样",
    "那样",
    "同样",
    "不同",
    "主要",
    "问题",
    "情况",
    "方面",
    "部分",
    "内容",
    "作者",
    "读者",
    "用户",
    "得到",
    "表示",
    "称为",
    "应该",
    "必须",
    "可能",
    "能够",
    "不能",
    "不会",
    "已经",
    "然后",
    "首先",
    "最后",
    "此外",
    "另外",
    "注意",
    "当然",
    "只有",
    "只要",
    "即可",
    "一样",
    "一种",
    "一定",
    "一般来说",
    "也可以",
    "还可以",
    "方法",
    "时间",
    "自己",
    "现在",
    "今天",
    "大家",
    "不要",
    "其实",
    "非常",
    "比较",
    "直接",
    "默认",
    "设置",
    "具体",
    "详细",
    "以及",
    "并不",
];

/// Characters between Chinese phrases. Only such as are hardly ever part of a word: `中` is in `中文`, `以` in `以太网`.
const JOINING_HAN: &str = "的了和与及或也都就而被把吗呢吧啊很们着这那但若又";

/// Whether a word ends a phrase.
pub(super) fn is_generic(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| GENERIC.split_whitespace().collect());
    ALL.contains(word)
}

/// Whether a word is in any text.
pub(super) fn is_common(word: &str) -> bool {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| COMMON.split_whitespace().collect());
    ALL.contains(word)
}

/// Whether a Chinese word is one of every title.
pub(super) fn is_generic_han(word: &str) -> bool {
    GENERIC_HAN.contains(&word)
}

/// Whether a character only joins Chinese phrases.
pub(super) fn splits_han(c: char) -> bool {
    JOINING_HAN.contains(c)
}
